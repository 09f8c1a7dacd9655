import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, histories, prompt, reply } from '../../test/support/histories.ts';
import { extract } from './extract.ts';
import { asRound, joinRounds, roundsOf, writeSections } from './sections.ts';
import { type Ask, summarize, type Task } from './summarize.ts';
import { budgetOf } from './window.ts';

const messages = [
  prompt('make the login faster'),
  reply('I will look.', { id: '1', name: 'Read', input: { file_path: 'src/login.ts' } }),
  answer('1', 'Read', 'code'),
  reply('We decided to cache tokens instead of asking the server. Now editing.', {
    id: '2',
    name: 'Edit',
    input: { file_path: 'src/login.ts', old_string: 'a', new_string: 'b' },
  }),
  answer('2', 'Edit', 'File updated successfully'),
  reply('', { id: '3', name: 'Bash', input: { command: 'npm test' } }),
  answer('3', 'Bash', 'Exit code 1\n2 failed', { success: false }),
  reply('The tests fail in cache.ts; I mend that next.'),
];

function task(changes: Partial<Task> = {}): Task {
  return {
    messages,
    earlier: null,
    focus: '',
    budget: 1000,
    charactersPerToken: 3,
    maxPrompt: 50_000,
    ...changes,
  };
}

const says =
  (text: string): Ask =>
  async () => ({ text, by: 'p/m' });

describe('[K07] [Z03] a summary', () => {
  test('is written by the model, which gets the conversation, the earlier summary and the focus', async () => {
    const prompts: string[] = [];
    const ask: Ask = async (text) => {
      prompts.push(text);
      return { text: ' [Completed: all]\n---\n[Open: none] ', by: 'p/m' };
    };
    const summary = await summarize(task({ earlier: '[Completed: before]', focus: 'the cache' }), ask);
    expect(summary).toEqual({
      text: '[Completed: before]\n---\n[Completed: all]\n\n[Open: none]',
      by: 'p/m',
    });
    const [asked = ''] = prompts;
    for (const words of [
      '[Completed: before]',
      'Above all, keep what concerns: the cache',
      'USER: make the login faster',
      'CALL Bash: {"command":"npm test"}',
      'FAILED Bash: Exit code 1',
    ])
      expect(asked).toContain(words);
  });

  test.each<[string, Ask | null]>([
    ['there is no model', null],
    ['it fails', async () => Promise.reject(new Error('down'))],
    ['it says nothing', says('  ')],
  ])('is extracted from the conversation itself if %s', async (_why, ask) => {
    expect(await summarize(task(), ask)).toEqual({
      by: 'extract',
      text: [
        '[Asked: make the login faster]',
        '[Completed: I will look.; We decided to cache tokens instead of asking the server. Now editing.]',
        '[Decided: We decided to cache tokens instead of asking the server.]',
        '[Current state: The tests fail in cache.ts; I mend that next.]',
        '[Files touched: src/login.ts]',
        '[Open: Bash failed: Exit code 1 2 failed]',
      ].join('\n'),
    });
  });

  test.each([
    ['was cut off', { text: '[Completed: half of', cut: true }],
    ['has none of the parts', { text: 'Sure! Here is what I think about it.' }],
    ['is a refusal', { text: 'I cannot help with that.' }],
    ['goes on with the conversation', { text: 'Done. I completed: the tests, and will now edit a.ts.' }],
  ])(
    'is requested once more, with a higher limit, if it %s; then it is extracted from the conversation',
    async (_why, bad) => {
      const rooms: number[] = [];
      const answers = (second: Awaited<ReturnType<Ask>>): Ask => {
        rooms.length = 0;
        return async (_text, maxTokens) => {
          rooms.push(maxTokens);
          return rooms.length === 1 ? { ...bad, by: 'p/m' } : second;
        };
      };
      const good = { text: '[Completed: all of it]', by: 'p/m' };
      expect(await summarize(task(), answers(good))).toEqual(good);
      expect(rooms).toEqual([500, 1000]);
      const failed = await summarize(task(), answers({ ...bad, by: 'p/m' }));
      expect(failed.by).toBe('extract');
      expect(failed.text).not.toContain(bad.text);
      expect(rooms).toHaveLength(2);
    },
  );

  test.each([
    '[Completed: x]',
    '## Completed\n\nx',
    '**Current state:** x',
    '- Open: x',
    'Hm.\n[Files touched: x]',
  ])('may be written as %j', async (text) => {
    expect((await summarize(task(), says(text))).by).toBe('p/m');
  });

  test.each([
    [4096, 200],
    [8192, 320],
    [32_768, 1280],
    [128_000, 2500],
    [200_000, 3906],
    [1_000_000, 8000],
  ])('in a window of %i it gets about %i tokens per round', async (window, tokens) => {
    const rooms: number[] = [];
    const ask: Ask = async (_text, maxTokens) => {
      rooms.push(maxTokens);
      return { text: '[Completed: x]', by: 'p/m' };
    };
    await summarize(task({ budget: budgetOf(window).summary }), ask);
    expect(rooms).toEqual([tokens]);
  });

  test('a bug is not mistaken for a failing model', async () => {
    await expect(summarize(task(), async () => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });

  test('grows round by round and stays within its share; the oldest rounds are condensed', async () => {
    let earlier: string | null = null;
    for (let round = 1; round <= 60; round++) {
      const ask: Ask = async (text) => ({
        text: text.startsWith('Below are summaries')
          ? `[Completed: condensed by round ${round}]`
          : `[Completed: round ${round} ${'word '.repeat(40)}]`,
        by: 'p/m',
      });
      earlier = (await summarize(task({ earlier }), ask)).text;
      expect(earlier.length).toBeLessThanOrEqual(3000);
      expect(roundsOf(earlier).at(-1)).toContain(`round ${round} `);
    }
    expect(roundsOf(earlier)[0]).toMatch(/^\[Completed: condensed by round \d+\]$/);
  });

  test('never exceeds its share, whatever the content and the model', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.string({ maxLength: 9000 }),
        fc.boolean(),
        async (messages, text, up) => {
          let earlier: string | null = null;
          for (let round = 0; round < 4; round++) {
            const ask: Ask | null = up ? says(`[Completed: ${text.repeat(3)}]`) : null;
            earlier = (await summarize(task({ messages, earlier, budget: 600 }), ask)).text;
            expect(earlier.length).toBeLessThanOrEqual(600 * 3 + 30);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a prompt never exceeds what the model can take', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 6000, max: 20_000 }), async (messages, maxPrompt) => {
        const ask: Ask = async (text) => {
          expect(text.length).toBeLessThanOrEqual(maxPrompt);
          return { text: 'x', by: 'm' };
        };
        await summarize(task({ messages, maxPrompt, earlier: 'e'.repeat(2000) }), ask);
      }),
      { numRuns: 40 },
    );
  });
});

test('rounds are separated by a line that no round contains', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string().map((text) => asRound(`x${text}\n---\ny`)),
        { minLength: 1 },
      ),
      (rounds) => {
        expect(roundsOf(joinRounds(rounds))).toEqual(rounds);
      },
    ),
  );
});

test('an extract of a long conversation is short', () => {
  fc.assert(
    fc.property(histories, (messages) => {
      expect(writeSections(extract(messages)).length).toBeLessThan(15_000);
    }),
  );
});
