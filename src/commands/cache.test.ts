import { expect, test } from 'vitest';
import type { CommandContext, PromptCacheUse } from '../contract/command.ts';
import { noUsage } from '../contract/message.ts';
import { cache } from './cache.ts';

async function shown(use: PromptCacheUse | undefined): Promise<string> {
  let text = '';
  // The command uses nothing else.
  const context = { ...(use && { cache: () => use }), print: (said: string) => (text += said) };
  await cache.execute([], context as unknown as CommandContext);
  return text;
}

const session = { inputTokens: 2000, outputTokens: 9, cacheReadTokens: 8000, cacheWriteTokens: 2000 };
const hit = { inputTokens: 100, outputTokens: 9, cacheReadTokens: 900, cacheWriteTokens: 0 };
const miss = { inputTokens: 1000, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('[K06] /cache shows the share of the session and of the last request', async () => {
  expect(await shown({ session, last: hit, compared: null, misses: [] })).toBe(
    'This session: 66% from the cache (8,000 of 12,000 tokens)\n' +
      'Last request: 90% from the cache (900 of 1,000 tokens)',
  );
  expect(await shown({ session: noUsage, last: null, compared: null, misses: [] })).toBe('No requests yet.');
  expect(await shown({ session: noUsage, last: noUsage, compared: null, misses: [] })).toContain(
    'reported no figures',
  );
  expect(await shown(undefined)).toBe('No prompt cache statistics available.');
});

test.each<[string, PromptCacheUse, string]>([
  [
    'the first differing block on a miss',
    {
      session,
      last: miss,
      compared: { gapMs: 0, difference: { block: 'message 3 (result of Read)', character: 1281 } },
      misses: [],
    },
    'It differs from the previous request in message 3 (result of Read), near character 1,281; nothing after that point can be reused.',
  ],
  [
    'that nothing differs',
    { session, last: hit, compared: { gapMs: 0, difference: null }, misses: [] },
    'It starts with the whole previous request, unchanged.',
  ],
  [
    'that the vendor may have forgotten',
    { session, last: miss, compared: { gapMs: 3_700_000, difference: null }, misses: [] },
    'It starts with the whole previous request, unchanged. It came 61 minutes later; most providers keep a prompt for 5.',
  ],
  [
    'that the vendor may not cache',
    { session, last: miss, compared: { gapMs: 0, difference: null }, misses: [] },
    'It starts with the whole previous request, unchanged. The provider may not cache short prompts or this model, or may not report it.',
  ],
])('[K06] /cache shows %s', async (_name, use, line) => {
  expect((await shown(use)).split('\n').at(-1)).toBe(line);
});
