import { expect, test } from 'vitest';
import { plainWindow } from '../../test/support/context-window.ts';
import type { CommandContext, SlashCommand } from '../contract/command.ts';
import { compact, describeCompaction } from './compact.ts';
import { context } from './context.ts';
import { pin, unpin } from './pin.ts';
import { uncompact } from './uncompact.ts';

function setUp() {
  const printed: string[] = [];
  const window = plainWindow();
  const stop = new AbortController();
  const print = (text: string) => printed.push(text);
  // These commands use nothing else.
  const hands = { window, print, signal: stop.signal } as unknown as CommandContext;
  const type = (command: SlashCommand, ...args: string[]) => command.execute(args, hands);
  return { printed, window, type, stop };
}

test('/compact reports what was saved, and passes on what to keep', async () => {
  const { printed, window, type } = setUp();
  await type(compact, 'the', 'API');
  await type(compact, 'nothing');
  expect(window.asked).toEqual(['compact the API', 'compact nothing']);
  expect(printed).toEqual([
    'Compacted from 12,000 to 3,000 tokens: older messages summarized without a model. Undo it with /uncompact.',
    'Nothing to compact yet.',
  ]);
});

test('a cancelled /compact says that nothing has changed', async () => {
  const { printed, type, stop } = setUp();
  stop.abort();
  await type(compact, 'nothing');
  expect(printed).toEqual(['Interrupted. Nothing was compacted.']);
});

test('/uncompact warns when it will not last', async () => {
  const { printed, type } = setUp();
  await type(uncompact);
  await type(uncompact);
  expect(printed).toEqual([
    "Compaction undone: 3,000 tokens before, 12,000 now. That does not fit the model's context, so the next prompt compacts it again.",
    'Nothing is compacted.',
  ]);
});

test('/pin adds, lists and refuses; /unpin removes by number', async () => {
  const { printed, window, type } = setUp();
  await type(pin);
  await type(pin, 'port', '8080');
  await type(pin, 'x'.repeat(200));
  await type(pin);
  await type(unpin, '2');
  await type(unpin, '1');
  expect(printed).toEqual([
    'Nothing pinned. Pin a fact with /pin TEXT.',
    'Pinned: port 8080',
    'Too long.',
    '1  port 8080',
    'There is no pinned fact 2. /pin lists them.',
    'No longer pinned: port 8080',
  ]);
  expect(window.pins()).toEqual([]);
});

test('/context shows parts, free space, and the largest items', async () => {
  const { printed, type } = setUp();
  await type(context);
  expect(printed).toEqual([
    [
      'm: 250 of 1k tokens (25%)',
      '[##++++++++..............................]',
      '  # system prompt   50   5.0%',
      '  + messages       200  20.0%',
      '  . free           750  75.0%',
      'Biggest:',
      '  prompt: fix it  150',
      'Auto-compacts at 800 tokens',
    ].join('\n'),
  ]);
});

test('the method of a compaction is described in words', () => {
  const sizes = { before: 10, after: 5 };
  expect(describeCompaction({ ...sizes, by: 'squeeze' })).toContain('older tool output shortened');
  expect(describeCompaction({ ...sizes, by: 'p/m' })).toContain('older messages summarized by p/m');
});
