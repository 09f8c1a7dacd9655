import { expect, test } from 'vitest';
import type { UserMessage } from '../../contract/message.ts';
import { createMode } from './mode.ts';

const user = (text: string): UserMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: '',
});
const PLAN =
  '[The permission mode is plan now. Plan mode: do not change anything. Explore, then present a plan with PresentPlan, or as your answer if you do not have that tool.]';

test('the model is notified once of each change, and not of a reverted one', () => {
  const told: UserMessage[] = [];
  const mode = createMode('default', { first: 'default', sent: () => told, messages: () => told });
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
  const resumed = (...sent: UserMessage[]) =>
    createMode('plan', { first: 'default', sent: () => sent, messages: () => sent });
  expect([resumed(user('go')).first, resumed(user('go')).updates()]).toEqual(['default', PLAN]);
  expect(resumed(user(PLAN), user('go')).updates()).toBeNull();
  expect(resumed(user(`What does ${PLAN} mean?`)).updates()).toBe(PLAN);
  expect(
    createMode('plan', { first: 'plan', sent: () => [user('go')], messages: () => [] }).updates(),
  ).toBeNull();
});

test('a session that was in plan mode once keeps the tool for plans', () => {
  const opened = (...[now, first, ...all]: Parameters<typeof opening>) =>
    opening(now, first, ...all).hasPlanned();
  const opening = (now: 'plan' | 'default', first: 'plan' | 'default', ...all: UserMessage[]) =>
    createMode(now, { first, sent: () => [], messages: () => all });
  expect(opened('default', 'default', user('go'))).toBe(false);
  expect(opened('plan', 'default')).toBe(true);
  expect(opened('default', 'plan')).toBe(true);
  expect(opened('default', 'default', user(PLAN), user('go'))).toBe(true);
  const mode = opening('default', 'default');
  mode.set('plan');
  mode.set('default');
  expect(mode.hasPlanned()).toBe(true);
});
