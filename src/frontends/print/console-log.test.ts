import { expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import { type ConsoleOptions, consoleLog } from './console-log.ts';

const at = new Date(2026, 0, 31, 9, 8, 7, 65);

function shown(events: readonly AgentEvent[], options: Omit<ConsoleOptions, 'now'>): string {
  let text = '';
  const write = (more: string | Uint8Array) => {
    text += String(more);
    return true;
  };
  const tell = consoleLog({ write } as Parameters<typeof consoleLog>[0], { ...options, now: () => at });
  for (const event of events) tell(event);
  return text;
}

const started: AgentEvent = {
  type: 'run_start',
  sessionId: 's',
  provider: 'a',
  model: 'm\x1b[2J',
  cwd: '/p',
  messages: 0,
};
const turn: AgentEvent = { type: 'turn_start', turn: 3 };
const allowed: AgentEvent = {
  type: 'judged',
  callId: 'c',
  tool: 'Read',
  verdict: 'allow',
  by: 'default',
  because: '',
  accesses: [],
};

test('[O07] the console log is human-readable: time, level, message; nothing in it moves the cursor', () => {
  const line = shown([started, turn, allowed], { level: 'warn', color: false });
  expect(line).toMatch(/^09:08:07\.065 info {2}run started provider=a model=m.*\[2J cwd=\/p\n$/);
  expect(line).not.toContain('\x1b');
  expect(shown([turn, allowed], { level: 'debug', color: false })).toBe(
    '09:08:07.065 debug turn started turn=3\n09:08:07.065 debug call allowed tool=Read callId=c by=default\n',
  );
});

test('[O07] each level has its color, if colors are enabled', () => {
  expect(shown([turn], { level: 'debug', color: true })).toBe(
    '\x1b[90m09:08:07.065\x1b[0m \x1b[90mdebug\x1b[0m turn started \x1b[90mturn=3\x1b[0m\n',
  );
  const warned: AgentEvent = { type: 'notice', level: 'warn', text: 'mind this' };
  expect(shown([warned], { level: 'warn', color: true })).toBe(
    '\x1b[90m09:08:07.065\x1b[0m \x1b[33mwarn \x1b[0m mind this\n',
  );
});
