import { describe, expect, test } from 'vitest';
import { call, depsOf, play, toolOf } from '../../test/support/router.ts';
import { ok } from '../contract/tool.ts';

const long = (size: number) =>
  Array.from({ length: Math.ceil(size / 10) }, (_, i) => `line ${String(i).padStart(4, '0')}`).join('\n');

describe('the results of one reply share a budget', () => {
  const print = toolOf('Print', 'execute', { run: async () => ok(long(60_000)) });
  const tiny = toolOf('Tiny', 'execute', { run: async () => ok('done') });
  const calls = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => call(name, { target: `${i}` }, `${name}${i}`));

  test.each([
    [1, 200_000, 40_000],
    [2, 200_000, 40_000],
    [8, 200_000, 12_500],
    [1, 8_000, 2_666],
    [4, 8_000, 1_000],
  ])('%d long ones in a window of %d tokens get %d characters each', async (count, window, each) => {
    const deps = depsOf({ tools: [print], windowTokens: () => window });
    const { texts } = await play(calls('Print', count), deps);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(Math.max(each, 1_000) + 1_000);
    expect(texts[0]?.length).toBeGreaterThan(each * 0.9);
  });

  test('what short ones leave goes to those that end later', async () => {
    const late = toolOf('Late', 'execute', {
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return ok(long(60_000));
      },
    });
    const deps = depsOf({ tools: [late, tiny], windowTokens: () => 200_000, isReadOnly: () => true });
    const { texts } = await play([...calls('Tiny', 7), ...calls('Late', 1)], deps);
    expect(texts.at(-1)?.length).toBeGreaterThan(39_000);
  });
});
