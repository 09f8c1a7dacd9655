import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { isObject } from '../../../lib/text/json.ts';
import type { EditorClient } from '../../acp/client.ts';
import { answerOf, namesOptions, shownOptions } from '../../acp/permission-options.ts';
import { FOR_OWNERS } from '../../shared/frees-commands.ts';
import type { PermissionMeta } from '../server-methods.ts';
import type { Answers } from './room.ts';

/** How often a client is asked again after it answered another question than the one asked. */
const MOST_WRONG = 3;

type Connected = {
  context: AgentContext;
  client: EditorClient;
  sessionId: string;
  /** Plain clients know only calls that they were told of before, and do not repeat what they were asked. */
  isPlain: boolean;
  /** Guests give no answer that outlives the session, or frees other commands. */
  isGuest: boolean;
  /** The client answered something else than it was asked. */
  onWrong(why: string): void;
};

/** Asks a participant over its connection. */
export function acpAnswers({ context, client, sessionId, ...about }: Connected): Answers {
  const { capabilities } = client;
  const { isPlain, isGuest, onWrong } = about;
  const choose = async ({ toolCall, options }: Choice, about: PermissionMeta, signal: AbortSignal) => {
    for (let wrong = 0; wrong < MOST_WRONG; wrong++) {
      const { outcome, _meta } = await context.request(
        methods.client.session.requestPermission,
        { sessionId, toolCall, options, _meta: { aca: about } },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      const isOffered =
        outcome.outcome === 'cancelled' || options.some(({ optionId }) => optionId === outcome.optionId);
      if (isOffered && isFor(about, _meta, { isPlain })) return outcome;
      onWrong(`${isOffered ? 'wrong digest for' : 'answer that was not offered for'} ${about.requestId}`);
    }
    return undefined;
  };
  return {
    async approve({ toolCall, options: all }, about, signal) {
      const allowed = isGuest ? all.filter(({ optionId }) => !FOR_OWNERS.has(optionId)) : all;
      const options = shownOptions(allowed, capabilities);
      const outcome = await choose({ toolCall, options }, about, signal);
      return outcome && (answerOf(outcome) ?? undefined);
    },
    async confirm({ question, details }, about, signal) {
      const { requestId: toolCallId } = about;
      const call = { toolCallId, title: question, kind: 'other' as const };
      if (isPlain) {
        client.update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
        await client.passedOn();
      }
      const toolCall = { ...call, content: details };
      const outcome = await choose({ toolCall, options: YES_OR_NO }, about, signal).finally(() => {
        if (isPlain) client.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
      });
      return isYes(outcome);
    },
    async ask(question, about, signal) {
      const isChoice = question.choices.length > 0 && (question.kinds || namesOptions(capabilities));
      const isShown = capabilities.elicitation?.form || isChoice;
      return isShown ? client.ask(question, signal, { aca: about }) : undefined;
    },
  };
}

type Choice = { toolCall: ToolCallUpdate; options: PermissionOption[] };

const YES_OR_NO: PermissionOption[] = [
  { optionId: 'yes', kind: 'allow_once', name: 'Yes' },
  { optionId: 'no', kind: 'reject_once', name: 'No' },
];

/** Undefined if nobody answered. */
function isYes(outcome: RequestPermissionOutcome | undefined): boolean | undefined {
  return outcome?.outcome === 'selected' ? outcome.optionId === 'yes' : undefined;
}

/** The answer of a plain client belongs to the request all the same. */
function isFor(
  { requestId, digest }: PermissionMeta,
  meta: unknown,
  { isPlain }: Pick<Connected, 'isPlain'>,
): boolean {
  const aca = isObject(meta) ? meta.aca : undefined;
  if (!isObject(aca)) return isPlain;
  return aca.requestId === requestId && aca.digest === digest;
}
