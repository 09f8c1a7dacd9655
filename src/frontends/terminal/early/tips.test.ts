import { expect, test } from 'vitest';
import { builtinCommands } from '../../../commands/index.ts';
import { withDialogs } from '../flows/commands.ts';
import type { Pickers } from '../flows/pickers.ts';
import { bindings } from '../keyboard/keymap.ts';
import { namesKeys, tipOfThisStart, tips } from './tips.ts';

test('tips name commands and keys that exist, in one short row', () => {
  const commands = withDialogs(builtinCommands, {} as Pickers).map(({ name }) => `/${name}`);
  const keys = Object.values(bindings).flatMap((binding) => [...binding.keys]);
  for (const tip of tips) {
    for (const [command] of tip.matchAll(/(?<!\S)\/[a-z-]+/g)) expect(commands).toContain(command);
    for (const [key] of tip.matchAll(/(?:ctrl|shift|alt)\+\w+/g)) expect(keys).toContain(key);
    expect(`Tip: ${tip}`.length).toBeLessThan(75);
    expect(tip).toMatch(/^[ -~]+$/);
  }
  expect(tips).toContain(tipOfThisStart);
});

test('with keys of your own, tips about keys are left out', () => {
  expect(tips.filter((tip) => !namesKeys(tip)).every((tip) => /^(\/|aca )/.test(tip))).toBe(true);
  expect(['ctrl+r searches your earlier prompts', '@ completes file names'].every(namesKeys)).toBe(true);
});
