import {
  type ClientApp,
  type ClientCapabilities,
  type CreateElicitationRequest,
  client,
  methods,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import type { ChatEvent } from '../../../../web/chat/connection.ts';
import type { PendingQuestions } from './pending-questions.ts';

/** The files as the editor has them, by absolute path. What fails rejects with a reason for the agent. */
export type Documents = {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** The agent has changed the file on the disk. */
  reload(path: string): Promise<void>;
};

type AppDeps = {
  documents: Documents;
  questions: PendingQuestions;
  emit(event: ChatEvent): void;
  onUpdate(notification: SessionNotification): void;
  onChanged(): void;
};

export const capabilities: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  elicitation: { form: {} },
  session: { notices: {} },
  auth: { terminal: true },
  _meta: { aca: { changes: true, subagents: true, options: true } },
};

/** What the agent can ask of the editor. */
export function clientApp({ documents, questions, emit, onUpdate, onChanged }: AppDeps): ClientApp {
  const { session, fs, elicitation } = methods.client;
  return client({ name: 'vscode' })
    .onNotification(session.update, ({ params }) => onUpdate(params))
    .onNotification(
      '_aca/changes/changed',
      (params) => params,
      () => onChanged(),
    )
    .onRequest(fs.readTextFile, async ({ params: { path, line, limit } }) => {
      const text = await documents.read(path);
      if (line == null && limit == null) return { content: text };
      const start = Math.max(0, (line ?? 1) - 1);
      return {
        content: text
          .split('\n')
          .slice(start, limit == null ? undefined : start + limit)
          .join('\n'),
      };
    })
    .onRequest(fs.writeTextFile, ({ params: { path, content } }) => documents.write(path, content))
    .onRequest(session.requestPermission, async ({ params: { toolCall, options, _meta }, signal }) => {
      const meta = (_meta?.aca ?? {}) as { requestId?: string };
      const requestId = meta.requestId ?? questions.newId();
      const answered = questions.ask(requestId, signal);
      emit({ type: 'permission_asked', request: { requestId, toolCall, options } });
      const optionId = await answered;
      emit({ type: 'permission_settled', requestId, optionId });
      return {
        outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
        // The agent compares what was answered with what it asked.
        ...(meta.requestId !== undefined && { _meta: { aca: meta } }),
      };
    })
    .onRequest(elicitation.create, async ({ params, signal }) => {
      const form = questionOf(params);
      if (!form) return { action: 'decline' };
      const requestId = questions.newId();
      const { question, choices, field } = form;
      const answered = questions.ask(requestId, signal);
      emit({ type: 'question_asked', request: { requestId, question, choices } });
      const answer = await answered;
      emit({ type: 'question_settled', requestId, answer });
      return answer === null ? { action: 'decline' } : { action: 'accept', content: { [field]: answer } };
    });
}

/** A form with one field of text, which is what the agent sends; null for anything else. */
function questionOf(request: CreateElicitationRequest) {
  if (request.mode !== 'form') return null;
  const { properties } =
    (request as { requestedSchema?: { properties?: Record<string, unknown> } }).requestedSchema ?? {};
  const [entry, ...others] = Object.entries(properties ?? {});
  if (!entry || others.length > 0) return null;
  const [field, property] = entry as [string, { type?: string; enum?: string[] }];
  return property.type === 'string'
    ? { field, question: request.message, choices: property.enum ?? [] }
    : null;
}
