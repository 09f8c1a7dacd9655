import type { UserMessage } from '../../contract/message.ts';
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
 * of the prefix of all later requests.
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
  const [first] = request.messages;
  const start = (first?.role === 'user' && levelOf(first, info)) || fitEffort(request.effort, info);
  const effort = start === 'none' ? undefined : start;
  let current = effort ?? effortLevelsOf(info).default;
  let next = current;
  return {
    effort,
    note(prompt) {
      const level = levelOf(prompt, info);
      if (level !== undefined && level !== 'none') next = level;
    },
    change() {
      if (next === undefined || next === current) return null;
      current = next;
      return { role: 'system', content: [], output_config: { effort: next } };
    },
  };
}

function levelOf({ effort }: UserMessage, info: ModelInfo): Effort | undefined {
  return effort === 'default' ? effortLevelsOf(info).default : fitEffort(effort, info);
}
