import { expect, test } from 'vitest';
import type { CommandContext } from '../contract/command.ts';
import {
  type EffortChoice,
  type EffortLevels,
  type EffortSwitch,
  fitEffort,
} from '../contract/request/effort.ts';
import { effort } from './effort.ts';

function setUp(levels: EffortLevels) {
  const printed: string[] = [];
  let chosen: EffortChoice = 'default';
  const chosenEffort: EffortSwitch = {
    get: () => chosen,
    set: (choice) => {
      chosen = choice;
    },
    model: () => 'kimi-k3',
    levels: () => levels,
    used: () =>
      chosen === 'default' ? undefined : fitEffort(chosen, { abilities: { thinking: true }, effort: levels }),
    onChange: () => () => undefined,
  };
  // The command uses nothing else.
  const context = {
    effort: chosenEffort,
    print: (text: string) => printed.push(text),
  } as unknown as CommandContext;
  const say = async (...args: string[]) => {
    await effort.execute(args, context);
    return printed.at(-1);
  };
  return { say, chosen: () => chosen };
}

const kimi: EffortLevels = { levels: ['low', 'high', 'max'], default: 'max' };

test('/effort lists the levels of the current model and marks the one in use', async () => {
  const { say } = setUp(kimi);
  expect(await say()).toBe(
    [
      '* default  what the vendor uses: max',
      '  low      thinks briefly',
      '  high     thinks thoroughly',
      '  max      thinks as long as it can',
    ].join('\n'),
  );
  await say('high');
  expect(await say()).toContain('* high');
});

test('a level is set, and one that the model lacks is replaced by the nearest', async () => {
  const { say, chosen } = setUp(kimi);
  expect(await say('HIGH')).toBe('Effort: high, from the next request on.');
  expect(await say('xhigh')).toBe('Effort: high, from the next request on. kimi-k3 has no xhigh.');
  expect(chosen()).toBe('xhigh');
  expect(await say('default')).toBe('Effort: default, from the next request on.');
});

test('a typo changes nothing', async () => {
  const { say, chosen } = setUp(kimi);
  expect(await say('hihg')).toBe('There is no effort hihg. Did you mean high? /effort lists the levels.');
  expect(chosen()).toBe('default');
});

test('a model without levels says so', async () => {
  const { say } = setUp({ levels: [] });
  expect(await say('high')).toBe('kimi-k3 has no effort setting.');
});
