import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type PermissionOption,
  type ReadTextFileResponse,
  type RequestPermissionOutcome,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { EditorBuffers } from '../../contract/editor-buffers.ts';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import type { ChoiceKind, UserQuestion } from '../../contract/tool.ts';
import { raceAbort } from '../../lib/async/abort.ts';
import { isObject } from '../../lib/text/json.ts';
import { CHANGES_CHANGED, type ChangesChanged, type ClientExtensions } from './extension-methods.ts';
import { answerOf, namesOptions, shownOptions } from './permission-options.ts';
import { textContent } from './updates/tool-calls.ts';
import { UpdateQueue } from './updates/update-queue.ts';

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
  /**
   * A question in words; null if the user gave no answer. Rejects if the user can only answer it with the next prompt,
   * with a reason for the model.
   */
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
      const params = { sessionId, path };
      // An error: not a text file, or none that the editor knows.
      const answer = await this.#unlessFailed<Partial<ReadTextFileResponse> | null>(
        this.#context.request(client.fs.readTextFile, params),
      );
      return typeof answer?.content === 'string' ? answer.content : null;
    };
    const write = async (path: string, content: string) => {
      await this.#context.request(client.fs.writeTextFile, { sessionId, path, content });
    };
    return writeTextFile ? { read, write } : { read };
  }

  async approve({ toolCall, options }: Approval, signal: AbortSignal): Promise<Answer> {
    const shown = shownOptions(options, this.capabilities);
    const asking = this.#requestPermission({ toolCall, options: shown }, signal);
    const outcome = await raceAbort(this.#unlessFailed(asking), signal);
    if (!outcome) return { choice: 'no', reason: 'The editor could not ask the user.' };
    return answerOf(outcome) ?? { choice: 'no' };
  }

  async #requestPermission(asked: Asked, signal: AbortSignal): Promise<RequestPermissionOutcome | undefined> {
    await this.passedOn();
    const answer = await this.#context.request(
      methods.client.session.requestPermission,
      { sessionId: this.#sessionId, ...asked },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return isObject(answer?.outcome) ? answer.outcome : undefined;
  }

  async confirm(
    question: string,
    signal: AbortSignal,
    { details = [] }: AboutQuestion = {},
  ): Promise<boolean> {
    const answers = { choices: ['Yes', 'No'], kinds: YES_OR_NO };
    return (await this.#choose({ question, ...answers }, details, signal)) === 'Yes';
  }

  async ask(
    asked: UserQuestion,
    signal: AbortSignal,
    meta?: Record<string, unknown>,
  ): Promise<string | null> {
    const { question, choices, kinds } = asked;
    if (this.capabilities.elicitation?.form) return this.#elicit(asked, signal, meta);
    if (choices.length === 0) return null;
    const isClear = kinds || namesOptions(this.capabilities);
    return isClear ? this.#choose(asked, [], signal) : this.#askInText(question, choices);
  }

  /**
   * Clients without forms show the options of a permission request by their kinds, and some answer it on their own: the
   * user could neither tell these choices apart nor be sure to be asked.
   */
  #askInText(question: string, choices: readonly string[]): never {
    const list = choices.map((choice, index) => `${index + 1}. ${choice}`).join('\n');
    const text = `${question}\n\n${list}\n`;
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    throw new Error(
      'This editor has no dialog for questions. The user sees the question and its choices as text: ' +
        'end your turn now, and the next prompt has the answer.',
    );
  }

  async #elicit(
    { question, choices }: UserQuestion,
    signal: AbortSignal,
    meta?: Record<string, unknown>,
  ): Promise<string | null> {
    const answer = { type: 'string' as const, title: 'Answer', ...(choices.length > 0 && { enum: choices }) };
    await this.passedOn();
    const response = await this.#unlessFailed(
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

  /** A question whose choices are options. Null if it was not answered. */
  async #choose(
    { question, choices, kinds = [] }: UserQuestion,
    details: NonNullable<ToolCallUpdate['content']>,
    signal: AbortSignal,
  ): Promise<string | null> {
    this.#questions++;
    const toolCallId = `question-${this.#questions}`;
    const [title = '', ...rest] = question.split('\n');
    const content = [...(rest.length > 0 ? [textContent(question)] : []), ...details];
    const call = { toolCallId, title, kind: 'other' as const };
    this.update({ sessionUpdate: 'tool_call', ...call, status: 'pending', content });
    const options = choices.map((name, index) => ({
      optionId: String(index),
      name,
      kind: OPTION_KINDS[kinds[index] ?? 'once'],
    }));
    const asking = this.#requestPermission({ toolCall: { ...call, content }, options }, signal);
    const outcome = await this.#unlessFailed(asking);
    const chosen = outcome?.outcome === 'selected' ? (choices[Number(outcome.optionId)] ?? null) : null;
    this.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: chosen === null ? 'failed' : 'completed',
    });
    return chosen;
  }

  /** Undefined if the question was cancelled, or the client answered with an error: neither may end the session. */
  async #unlessFailed<Value>(asking: Promise<Value>): Promise<Value | undefined> {
    try {
      return await asking;
    } catch {
      return undefined;
    }
  }
}

const YES_OR_NO: ChoiceKind[] = ['once', 'no'];

const OPTION_KINDS: Record<ChoiceKind, PermissionOption['kind']> = {
  always: 'allow_always',
  once: 'allow_once',
  no: 'reject_once',
};
