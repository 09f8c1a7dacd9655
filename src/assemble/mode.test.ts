import { expect, test } from 'vitest';
import { createMode } from './mode.ts';

test('the model is told once of each change, and not of one that was taken back', () => {
  const mode = createMode('default');
  expect(mode.news()).toBeNull();
  mode.set('plan');
  expect([mode.get(), mode.first, mode.news(), mode.news()]).toEqual([
    'plan',
    'default',
    '[The permission mode is plan now. Plan mode: nothing may be changed. Explore, then answer with a plan.]',
    null,
  ]);
  mode.set('auto');
  mode.set('plan');
  expect(mode.news()).toBeNull();
  mode.set('default');
  expect(mode.news()).toBe(
    '[The permission mode is default now. You may propose changes again; they are judged one by one.]',
  );
});
