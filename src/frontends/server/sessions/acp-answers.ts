import { type AgentContext, methods } from '@agentclientprotocol/sdk';
import { isObject } from '../../../lib/text/json.ts';
import type { EditorClient } from '../../acp/client.ts';
import { answerOf } from '../../acp/permission-options.ts';
import type { PermissionMeta } from '../server-methods.ts';
import type { Answers } from './room.ts';

/** How often a client is asked again after it answered another question than the one asked. */
const MOST_WRONG = 3;

type Connected = {
  context: AgentContext;
  client: EditorClient;
  sessionId: string;
  /** The client answered something else than it was asked. */
  onWrong(requestId: string): void;
};

/** Asks a participant over its connection. */
export function acpAnswers({ context, client, sessionId, onWrong }: Connected): Answers {
  const { capabilities } = client;
  return {
    async approve({ toolCall, options }, about, signal) {
      for (let wrong = 0; wrong < MOST_WRONG; wrong++) {
        const { outcome, _meta } = await context.request(
          methods.client.session.requestPermission,
          { sessionId, toolCall, options, _meta: { aca: about } },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        );
        if (isFor(about, _meta)) return answerOf(outcome) ?? undefined;
        onWrong(about.requestId);
      }
      return undefined;
    },
    async ask(question, about, signal) {
      const isShown = capabilities.elicitation?.form || question.choices.length > 0;
      return isShown ? client.ask(question, signal, { aca: about }) : undefined;
    },
    confirm: (question, signal, details) => client.confirm(question, signal, details),
  };
}

/** Plain clients do not repeat what they were asked; their answer belongs to the request all the same. */
function isFor({ requestId, digest }: PermissionMeta, meta: unknown): boolean {
  const aca = isObject(meta) ? meta.aca : undefined;
  if (!isObject(aca)) return true;
  return aca.requestId === requestId && aca.digest === digest;
}
