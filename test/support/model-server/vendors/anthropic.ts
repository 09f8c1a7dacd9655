import { compactionRules } from './anthropic/compaction.ts';
import { messageRules } from './anthropic/messages.ts';
import { preservedThinkingRules } from './anthropic/preserved-thinking.ts';
import { requestRules } from './anthropic/request.ts';
import { systemMessageRules } from './anthropic/system-messages.ts';
import { thinkingRules } from './anthropic/thinking.ts';
import type { Rule } from './rule.ts';

/** What Anthropic rejects or silently degrades. Pages are those of platform.claude.com/docs. */
export const anthropicRules: Rule[] = [
  ...requestRules,
  ...thinkingRules,
  ...systemMessageRules,
  ...compactionRules,
  ...messageRules,
  ...preservedThinkingRules,
];
