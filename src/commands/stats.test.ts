import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandContext, SessionFigures } from '../contract/command.ts';
import { diag } from './diag.ts';
import { stats } from './stats.ts';

async function printed(command: typeof stats, context: Partial<CommandContext>): Promise<string> {
  const texts: string[] = [];
  // The command uses nothing else.
  await command.execute([], {
    ...context,
    print: (text: string) => texts.push(text),
  } as unknown as CommandContext);
  return texts.join('\n');
}

const usage = (inputTokens: number, cacheReadTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens: 0,
});

const figures: SessionFigures = {
  runs: 2,
  turns: 9,
  ms: 185_000,
  requests: [
    { usage: usage(1000, 0, 50), usd: 0.01 },
    { usage: usage(500, 1500, 70), usd: 0.02 },
    { usage: usage(500, 3500, 80), usd: 0.03 },
  ],
  answered: { calls: 4, failed: 1, ms: 8000 },
  tools: [
    { name: 'Read', calls: 12, failed: 0, ms: 48 },
    { name: 'Bash', calls: 3, failed: 1, ms: 9000 },
    { name: 'github:create_issue', calls: 1, failed: 0, ms: 700 },
  ],
  caches: [{ name: 'read', hits: 9, misses: 3 }],
};

test('/stats shows the numbers of a session', async () => {
  expect(await printed(stats, { figures: async () => figures })).toBe(
    [
      'Session 2 runs, 9 turns, 3m 05s',
      'Cost    $0.06',
      'Tokens  7,000 in, 200 out',
      'Cached  █████▊   71% of 7,000',
      'Sent    ▃▅█',
      'Models  4 requests, 1 failed, 2s each',
      '',
      'Tools             calls failed      each',
      'Read       ██████    12      0      4 ms',
      'Bash       █▌         3      1        3s',
      'github:cr… ▌          1      0    700 ms',
      '',
      'Caches',
      'read         ██████   75% of 12',
    ].join('\n'),
  );
});

test('/stats says what is unknown, and when nothing has happened yet', async () => {
  const nothing = { ...figures, requests: [], tools: [], caches: [] };
  expect(await printed(stats, { figures: async () => nothing })).toBe('No prompts yet.');
  expect(await printed(stats, {})).toBe('No statistics available.');
  const unpriced = { ...figures, requests: [{ usage: usage(1, 0, 1), usd: null }] };
  expect(await printed(stats, { figures: async () => unpriced })).toContain('Cost    price unknown\n');
});

test('every line fits 40 columns, whatever the numbers', async () => {
  const count = fc.integer({ min: 0, max: 99_999 });
  const counts = {
    calls: fc.integer({ min: 1, max: 99_999 }),
    failed: count,
    ms: fc.integer({ min: 0, max: 1e9 }),
  };
  const many = fc.record({
    runs: count,
    turns: count,
    ms: fc.integer({ min: 0, max: 1e9 }),
    requests: fc.array(
      fc.record({
        usage: fc.record({
          inputTokens: fc.integer({ min: 0, max: 1e7 }),
          outputTokens: fc.integer({ min: 0, max: 1e6 }),
          cacheReadTokens: fc.integer({ min: 0, max: 1e7 }),
          cacheWriteTokens: count,
        }),
        usd: fc.option(fc.double({ min: 0, max: 1000, noNaN: true })),
      }),
      { maxLength: 80 },
    ),
    answered: fc.record(counts),
    tools: fc.array(fc.record({ name: fc.string({ minLength: 1, maxLength: 40 }), ...counts }), {
      maxLength: 20,
    }),
    caches: fc.array(fc.record({ name: fc.constantFrom('read', 'tool_result'), hits: count, misses: count })),
  });
  await fc.assert(
    fc.asyncProperty(many, async (some) => {
      const lines = (await printed(stats, { figures: async () => some })).split('\n');
      expect(lines.filter((line) => line.length > 40)).toEqual([]);
    }),
  );
});

test('/diag shows the last warnings and where the log is', async () => {
  const log = {
    file: '/root/logs/aca.jsonl',
    level: 'warn',
    warnings: async () => [
      { timestamp: '2026-01-31T10:11:12.345Z', level: 'warn', message: 'a model failed' },
      { timestamp: '2026-01-31T10:11:13.345Z', level: 'error', message: 'crashed\nat line 1' },
    ],
  };
  const where = 'The log is /root/logs/aca.jsonl (level warn; `--debug` for every step).';
  expect(await printed(diag, { log })).toBe(
    ['2026-01-31 10:11:12 warn  a model failed', '2026-01-31 10:11:13 error crashed …', where].join('\n'),
  );
  expect(await printed(diag, { log: { ...log, warnings: async () => [] } })).toBe(`No warnings.\n${where}`);
});
