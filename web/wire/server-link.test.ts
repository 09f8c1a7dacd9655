import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LinkSocket, type LinkState, ServerLink } from './server-link.ts';

type Listeners = { open?: () => void; message?: (message: { data: unknown }) => void; close?: unknown };

/** A connection that does what the test says. */
function socket() {
  const listeners: Listeners = {};
  const sent: { id: number; method: string }[] = [];
  const made: LinkSocket = {
    send: (text) => void sent.push(JSON.parse(text)),
    close: () => undefined,
    addEventListener: (type: string, listener: unknown) =>
      void Object.assign(listeners, { [type]: listener }),
  };
  return {
    made,
    sent,
    open: () => listeners.open?.(),
    answer: (id: number) => listeners.message?.({ data: JSON.stringify({ jsonrpc: '2.0', id, result: {} }) }),
  };
}

function link() {
  const sockets: ReturnType<typeof socket>[] = [];
  const states: LinkState[] = [];
  const made = new ServerLink({
    name: 'test',
    delay: () => 100,
    open: () => {
      const next = socket();
      sockets.push(next);
      return next.made;
    },
  });
  made.listen({ onState: (state) => states.push(state) });
  return { sockets, states, close: () => made.close() };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a connection that never opens, or is never answered, is given up, and another one is tried', async () => {
  const { sockets, states, close } = link();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets.length).toBe(2);
  sockets[1]?.open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets.length).toBeGreaterThan(2);
  expect(new Set(states)).toEqual(new Set(['offline']));
  const last = sockets.at(-1);
  last?.open();
  last?.answer(last.sent[0]?.id ?? -1);
  await vi.advanceTimersByTimeAsync(0);
  expect(states.at(-1)).toBe('online');
  close();
});

test('an open connection that goes quiet is tested, and given up without an answer', async () => {
  const { sockets, states, close } = link();
  const [first] = sockets;
  first?.open();
  first?.answer(first.sent[0]?.id ?? -1);
  await vi.advanceTimersByTimeAsync(26_000);
  expect(first?.sent).toHaveLength(2);
  first?.answer(first.sent[1]?.id ?? -1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(states).toEqual(['online']);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(states).toEqual(['online', 'offline']);
  close();
});
