import type { PromptCacheUse, SlashCommand } from '../contract/command.ts';
import type { Usage } from '../contract/message.ts';
import { grouped } from '../lib/text/counted.ts';

/** Vendors cache a prompt for some minutes after its last use. */
const MINUTES_KEPT = 5;

export const cache: SlashCommand = {
  name: 'cache',
  forGuests: true,
  description: "Show how much of your prompts came from the provider's cache, and what broke it",
  async execute(_args, { cache: use, print }) {
    print(use ? report(use()) : 'No prompt cache statistics available.');
  },
};

function report({ session, last, compared }: PromptCacheUse): string {
  if (!last) return 'No requests yet.';
  return [
    `This session: ${shareOf(session)}`,
    `Last request: ${shareOf(last)}`,
    ...(compared ? [findingOf(compared, last)] : []),
  ].join('\n');
}

function shareOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): string {
  const all = inputTokens + cacheReadTokens + cacheWriteTokens;
  if (all === 0) return 'the provider reported no figures';
  const share = Math.floor((cacheReadTokens * 100) / all);
  return `${share}% from the cache (${grouped(cacheReadTokens)} of ${grouped(all)} tokens)`;
}

function findingOf({ gapMs, difference }: NonNullable<PromptCacheUse['compared']>, last: Usage): string {
  if (difference) {
    const { block, character } = difference;
    return `It differs from the previous request in ${block}, near character ${grouped(character)}; nothing after that point can be reused.`;
  }
  const same = 'It starts with the whole previous request, unchanged.';
  if (last.cacheReadTokens > 0) return same;
  const minutes = Math.floor(gapMs / 60_000);
  if (minutes >= MINUTES_KEPT)
    return `${same} It came ${grouped(minutes)} minutes later; most providers keep a prompt for ${MINUTES_KEPT}.`;
  return `${same} The provider may not cache short prompts or this model, or may not report it.`;
}
