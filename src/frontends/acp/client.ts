import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type PermissionOption,
  RequestError,
  type RequestPermissionOutcome,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { EditorBuffers } from '../../contract/editor-buffers.ts';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import type { UserQuestion } from '../../contract/tool.ts';
import { raceAbort } from '../../lib/async/abort.ts';
import { CHANGES_CHANGED, type ChangesChanged, type ClientExtensions } from './extension-methods.ts';
import { answerOf } from './permission-options.ts';
import { UpdateQueue } from './update-queue.ts';

type Asked = { toolCall: ToolCallUpdate; options: PermissionOption[] };

/** A call that needs approval: as the protocol shows it, and as we know it. */
export type Approval = Asked & { request: PermissionRequest };

/** What a question shows. `ownerOnly`: the answer outlives the session, so that guests are not asked. */
export type AboutQuestion = { details?: NonNullable<ToolCallUpdate['content']>; ownerOnly?: true };

/** The other side of one session: an editor, or any number of participants. */
export type Client = {
  readonly capabilities: ClientCapabilities;
  /** Undefined if it does not let us see its files. */
  readonly buffers: EditorBuffers | undefined;
  update(...updates: SessionUpdate[]): void;
  /** Resolves when nothing sent now would overtake an update. */
  passedOn?(): Promise<void>;
  /** The list of the session's changes may differ now. */
  changesChanged(): void;
  /** Rejects when the signal is aborted. */
  approve(approval: Approval, signal: AbortSignal): Promise<Answer>;
  /** Only an explicit yes counts. */
  confirm(question: string, signal: AbortSignal, about?: AboutQuestion): Promise<boolean>;
  /** A question in words; null if it cannot be shown, or the user gave no answer. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
};

/** The editor on the other side, for one session. */
export class EditorClient implements Client {
  readonly capabilities: ClientCapabilities;
  readonly #context: AgentContext;
  readonly #sessionId: string;
  readonly #updates: UpdateQueue;
  #questions = 0;

  constructor(context: AgentContext, capabilities: ClientCapabilities, sessionId: string) {
    this.#context = context;
    this.capabilities = capabilities;
    this.#sessionId = sessionId;
    this.#updates = new UpdateQueue((update) =>
      context.notify(methods.client.session.update, { sessionId, update }),
    );
  }

  update(...updates: SessionUpdate[]): void {
    for (const update of updates) this.#updates.add(update);
  }

  passedOn(): Promise<void> {
    return this.#updates.passedOn();
  }

  changesChanged(): void {
    const { aca } = (this.capabilities._meta ?? {}) as ClientExtensions;
    const changed: ChangesChanged = { sessionId: this.#sessionId };
    if (aca?.changes) this.#context.notify(CHANGES_CHANGED, changed).catch(() => undefined);
  }

  get buffers(): EditorBuffers | undefined {
    const { readTextFile, writeTextFile } = this.capabilities.fs ?? {};
    if (!readTextFile) return undefined;
    const { client } = methods;
    const sessionId = this.#sessionId;
    const read = async (path: string) => {
      try {
        return (await this.#context.request(client.fs.readTextFile, { sessionId, path })).content;
      } catch (error) {
        // Not a text file, or none that the editor knows.
        if (error instanceof RequestError) return null;
        throw error;
      }
    };
    const write = async (path: string, content: string) => {
      await this.#context.request(client.fs.writeTextFile, { sessionId, path, content });
    };
    return writeTextFile ? { read, write } : { read };
  }

  async approve({ toolCall, options }: Approval, signal: AbortSignal): Promise<Answer> {
    const outcome = await raceAbort(this.#requestPermission({ toolCall, options }, signal), signal);
    return answerOf(outcome) ?? { choice: 'no' };
  }

  async #requestPermission(asked: Asked, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    await this.passedOn();
    const { outcome } = await this.#context.request(
      methods.client.session.requestPermission,
      { sessionId: this.#sessionId, ...asked },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return outcome;
  }

  async confirm(
    question: string,
    signal: AbortSignal,
    { details = [] }: AboutQuestion = {},
  ): Promise<boolean> {
    const choice = await this.#choose(question, ['Yes', 'No'], signal, details);
    return choice === 'Yes';
  }

  async ask(
    { question, choices }: UserQuestion,
    signal: AbortSignal,
    meta?: Record<string, unknown>,
  ): Promise<string | null> {
    if (this.capabilities.elicitation?.form) return this.#elicit({ question, choices }, signal, meta);
    return choices.length === 0 ? null : this.#choose(question, choices, signal, []);
  }

  async #elicit(
    { question, choices }: UserQuestion,
    signal: AbortSignal,
    meta?: Record<string, unknown>,
  ): Promise<string | null> {
    const answer = { type: 'string' as const, title: 'Answer', ...(choices.length > 0 && { enum: choices }) };
    await this.passedOn();
    const response = await this.#unlessCancelled(
      this.#context.request(
        methods.client.elicitation.create,
        {
          mode: 'form',
          sessionId: this.#sessionId,
          message: question,
          requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
          ...(meta && { _meta: meta }),
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      ),
    );
    if (response?.action !== 'accept') return null;
    const { content } = response as { content?: Record<string, unknown> | null };
    return typeof content?.answer === 'string' ? content.answer : null;
  }

  /** Clients without forms can show a question with options. */
  async #choose(
    question: string,
    choices: readonly string[],
    signal: AbortSignal,
    content: ToolCallUpdate['content'],
  ): Promise<string | null> {
    this.#questions++;
    const toolCallId = `question-${this.#questions}`;
    this.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: question,
      kind: 'other',
      status: 'pending',
    });
    const options = choices.map((name, index) => ({
      optionId: String(index),
      name,
      kind: name === 'No' ? ('reject_once' as const) : ('allow_once' as const),
    }));
    const toolCall = { toolCallId, title: question, kind: 'other' as const, content: content ?? [] };
    const outcome = await this.#unlessCancelled(this.#requestPermission({ toolCall, options }, signal));
    const chosen = outcome?.outcome === 'selected' ? (choices[Number(outcome.optionId)] ?? null) : null;
    this.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: chosen === null ? 'failed' : 'completed',
    });
    return chosen;
  }

  /** Undefined if the question was cancelled. */
  async #unlessCancelled<Value>(asking: Promise<Value>): Promise<Value | undefined> {
    try {
      return await asking;
    } catch (error) {
      if (error instanceof RequestError && error.code === RequestError.requestCancelled().code)
        return undefined;
      throw error;
    }
  }
}
