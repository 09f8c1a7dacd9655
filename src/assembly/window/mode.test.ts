import { expect, test } from 'vitest';
import type { UserMessage } from '../../contract/message.ts';
import { createMode } from './mode.ts';

const user = (text: string): UserMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: '',
});
const PLAN =
  '[The permission mode is plan now. Plan mode: do not change anything. Explore, then answer with a plan.]';

test('the model is notified once of each change, and not of a reverted one', () => {
  const told: UserMessage[] = [];
  const mode = createMode('default', { first: 'default', sent: () => told });
  expect(mode.updates()).toBeNull();
  mode.set('plan');
  expect([mode.get(), mode.first, mode.updates()]).toEqual(['plan', 'default', PLAN]);
  told.push(user(PLAN));
  expect(mode.updates()).toBeNull();
  mode.set('auto');
  mode.set('plan');
  expect(mode.updates()).toBeNull();
  mode.set('default');
  expect(mode.updates()).toBe(
    '[The permission mode is default now. You may propose changes again; each one is checked.]',
  );
});

test('[K06] a session resumed in another mode keeps its system prompt; the model is notified once', () => {
  const resumed = (...sent: UserMessage[]) => createMode('plan', { first: 'default', sent: () => sent });
  expect([resumed(user('go')).first, resumed(user('go')).updates()]).toEqual(['default', PLAN]);
  expect(resumed(user(PLAN), user('go')).updates()).toBeNull();
  expect(resumed(user(`What does ${PLAN} mean?`)).updates()).toBe(PLAN);
  expect(createMode('plan', { first: 'plan', sent: () => [user('go')] }).updates()).toBeNull();
});
