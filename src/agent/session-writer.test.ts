import { expect, test } from 'vitest';
import type { AgentEvent } from '../contract/event.ts';
import type { Session } from '../contract/session.ts';
import { EventChannel } from '../lib/async/event-channel.ts';
import type { SessionLog } from './session-log.ts';
import { SessionWriter } from './session-writer.ts';

function writerOf(log: Partial<SessionLog>) {
  const session: Session = {
    id: 'session',
    workingDirectory: '/project',
    startedAt: '',
    messages: [],
    permissions: [],
    settings: { model: 'm' },
  };
  const nothing = async () => undefined;
  const events = new EventChannel<AgentEvent>();
  const told: AgentEvent[] = [];
  events.listen((event) => told.push(event));
  const quiet = { keep: nothing, message: nothing, watch: nothing, started: nothing, answered: nothing };
  const kept = { grant: nothing, ungrant: nothing, source: nothing, view: nothing, close: nothing };
  const writer = new SessionWriter({ session, events, log: { ...quiet, ...kept, ...log } });
  return { writer, session, told };
}

test('a forgotten grant is removed from the session and the journal', async () => {
  const gone: string[] = [];
  const { writer, session } = writerOf({ ungrant: async (pattern) => void gone.push(pattern) });
  const permission = {
    type: 'execute',
    pattern: 'Bash(make)',
    action: 'allow',
    scope: 'session',
    grantedAt: '2026-01-01',
  } as const;
  await writer.remember(permission);
  await writer.forget('Bash(other)');
  expect([session.permissions, gone]).toEqual([[permission], []]);
  await writer.forget('Bash(make)');
  expect([session.permissions, gone]).toEqual([[], ['Bash(make)']]);
});

test('an event that cannot be saved is still emitted, and the user is warned once', async () => {
  const { writer, told } = writerOf({
    watch: async () => {
      throw new Error('no space left');
    },
    close: async () => {
      throw new Error('no space left');
    },
  });
  const event = { type: 'notice', level: 'info', text: 'hello' } as const;
  await writer.record(event);
  await writer.record(event);
  await writer.close();
  const text = 'Cannot save the session (no space left). Continuing in memory only.';
  expect(told).toEqual([{ type: 'notice', level: 'warn', text }, event, event]);
});
