import { expect, test } from 'vitest';
import type { Message } from '../contract/message.ts';
import type { Surroundings } from './prompt/system-prompt.ts';
import { announcements, knownAfter, statedBy } from './surroundings.ts';

const here: Surroundings = {
  cwd: '/project',
  platform: 'linux',
  shell: 'bash',
  mode: 'default',
  date: '2026-11-19',
  instructions: [],
};
const headless: Surroundings = { ...here, refused: 'changes to files' };

/** Each surroundings after the other: the announcements that the prompt in each of them begins with. */
function announced(...[first = here, ...later]: Surroundings[]): string[] {
  const stated = statedBy(first);
  const messages: Message[] = [];
  return later.map((now) => {
    const parts = announcements(knownAfter(stated, messages), now, 'none');
    messages.push({ role: 'user', content: parts, timestamp: '2026-11-19T00:00:00Z' });
    return parts.map(({ text }) => text).join('\n');
  });
}

test('a user who continues a headless conversation is announced once, and so is a run without one', () => {
  expect(announced(headless, headless, here, here, headless, headless)).toEqual([
    '',
    '[A user watches this run now, and answers questions and approvals.]',
    '',
    expect.stringContaining('[Nobody watches this run: no question is answered'),
    '',
  ]);
});

test('auto mode says by itself that nobody answers', () => {
  const auto: Surroundings = { ...headless, mode: 'auto' };
  expect(announced(auto, auto, headless)).toEqual([
    '',
    expect.stringMatching(/The permission mode is default now[\s\S]*Nobody watches this run: /),
  ]);
});
