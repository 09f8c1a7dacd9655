import type { Message, UserMessage } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { type Effort, effortLevelsOf, fitEffort } from '../../contract/request/effort.ts';
import type { ProviderOptions } from '../options.ts';

/** Needed by requests with an effort of a message's own. */
export const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01';

/** A message that only sets the effort from the next user turn on. The types of the SDK have it for beta requests only. */
export type EffortMessage = { role: 'system'; content: []; output_config: { effort: Effort } };

/**
 * The effort of a conversation. A change within the messages keeps the prompt cache, and stays there for good: it is part
 * of the prefix of all later requests, also of those to other models. What `default` means, and whether a level is a
 * change at all, is therefore decided by the model that answered the prompt.
 */
export type EffortPlan = {
  /** For the whole request. */
  effort: Effort | undefined;
  /** Called with each prompt in turn. */
  note(prompt: UserMessage): void;
  /** The message to insert here, if the prompts so far changed the effort. */
  change(): EffortMessage | null;
};

export function effortPlan(
  request: CompletionRequest,
  { infoOf, endpoint }: Pick<ProviderOptions, 'infoOf' | 'endpoint'>,
): EffortPlan {
  const info = infoOf(request.model);
  const now = fitEffort(effortNow(request), info);
  // Clouds may not have it; thinking can be turned off only for a whole request.
  if (!info.effort?.perMessage || endpoint || now === 'none')
    return { effort: now, note: () => undefined, change: () => null };
  const answering = (prompt: UserMessage) => {
    const answered = infoOf(modelAfter(prompt, request.messages) ?? request.model);
    return answered.effort?.perMessage ? answered : info;
  };
  const [first] = request.messages;
  const start =
    (first?.role === 'user' && levelOf(first, answering(first))) || fitEffort(request.effort, info);
  const effort = start === 'none' ? undefined : start;
  let current = effort ?? effortLevelsOf(first?.role === 'user' ? answering(first) : info).default;
  let next = current;
  return {
    effort,
    note(prompt) {
      if (prompt.effort === undefined) return;
      const level = levelOf(prompt, answering(prompt));
      if (level !== undefined && level !== 'none') next = level;
    },
    change() {
      if (next === undefined || next === current) return null;
      current = next;
      return { role: 'system', content: [], output_config: { effort: next } };
    },
  };
}

/** The model that answered a prompt; undefined if none has yet, or the prompt changes no effort. */
function modelAfter(prompt: UserMessage, messages: readonly Message[]): string | undefined {
  const at = messages.indexOf(prompt);
  const answer = messages.slice(at + 1).find(({ role }) => role === 'assistant');
  return answer?.role === 'assistant' ? answer.model : undefined;
}

function levelOf({ effort }: UserMessage, info: ModelInfo): Effort | undefined {
  return effort === 'default' ? effortLevelsOf(info).default : fitEffort(effort, info);
}
