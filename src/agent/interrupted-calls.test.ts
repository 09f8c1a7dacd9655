import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { call, depsOf, play, toolOf, tools } from '../../test/support/router.ts';
import type { AgentEvent } from '../contract/event.ts';
import { ok } from '../contract/tool.ts';
import { InterruptedCalls } from './interrupted-calls.ts';
import type { RouterDeps } from './router-deps.ts';

test('[L10] an abort answers every call at once, even if a tool ignores the signal', async () => {
  const abort = new AbortController();
  const deaf = toolOf('Deaf', 'read', { run: () => new Promise(() => undefined) });
  const deps = depsOf({ tools: [deaf, ...tools] });
  setTimeout(() => abort.abort(new DOMException('stop', 'AbortError')), 10);
  const { texts } = await play(
    [call('Deaf', { target: 'a' }, '1'), call('Run', { target: 'x' }, '2')],
    deps,
    abort.signal,
  );
  expect(texts).toEqual([
    'Interrupted by the user while it was running.',
    'Interrupted by the user before it ran.',
  ]);
});

test('[L10] an interrupted call keeps what it has printed, for the model and for the user', async () => {
  const abort = new AbortController();
  const stop = () => abort.abort(new DOMException('stop', 'AbortError'));
  const talker = toolOf('Talker', 'read', {
    run: (_input, { progress }) => {
      progress('one\n');
      progress('two\n');
      stop();
      return new Promise(() => undefined);
    },
  });
  const flood = toolOf('Flood', 'read', {
    run: (_input, { progress }) => {
      for (let i = 0; i < 300; i++) progress(`${'x'.repeat(1_000)}\n`);
      progress('last\n');
      return new Promise(() => undefined);
    },
  });
  const { texts, events } = await play(
    [call('Flood', { target: 'b' }, '1'), call('Talker', { target: 'a' }, '2')],
    depsOf({ tools: [talker, flood] }),
    abort.signal,
  );
  expect(texts[1]).toBe('Interrupted by the user while it was running. Its output so far:\none\ntwo');
  expect(texts[0]).toContain('x\nlast');
  const endOf = (id: string) =>
    events.flatMap((event) => (event.type === 'tool_end' && event.callId === id ? [event] : []))[0];
  const [long, short] = [endOf('1'), endOf('2')];
  expect(short).toMatchObject({
    display: { kind: 'text', text: 'one\ntwo' },
    metadata: { interrupted: true },
  });
  const shown = long?.display?.kind === 'text' ? long.display.text : '';
  expect([shown.length <= 100_000, shown.endsWith('x\nlast')]).toEqual([true, true]);
});

test('[L10] an interrupted subagent keeps what it has said, but not what its own subagents said', async () => {
  const abort = new AbortController();
  const said = (text: string): AgentEvent => ({
    type: 'message',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text }],
      provider: 'p',
      model: 'm',
      stopReason: 'end',
      timestamp: '',
    },
  });
  const from = (event: AgentEvent): AgentEvent => ({ type: 'subagent', callId: '1', agent: 'a', event });
  const deps = depsOf({
    async perform(_work, _context, { emit }) {
      await emit(from(said('The login is in auth.ts.')));
      await emit(from(from(said('deeper'))));
      await emit(from({ type: 'turn_start', turn: 2 }));
      abort.abort(new DOMException('stop', 'AbortError'));
      return new Promise(() => undefined);
    },
  });
  const { texts } = await play([call('Look', { target: 'a' }, '1')], deps, abort.signal);
  expect(texts).toEqual([
    'Interrupted by the user while it was running. Its output so far:\nThe login is in auth.ts.',
  ]);
});

test('[L10] an abort during a question cancels the question', async () => {
  const abort = new AbortController();
  const decide: RouterDeps['decide'] = () => new Promise(() => undefined);
  setTimeout(() => abort.abort(new DOMException('stop', 'AbortError')), 10);
  const { texts } = await play([call('Look', { target: 'a' })], depsOf({ decide }), abort.signal);
  expect(texts).toEqual(['Interrupted by the user before it ran.']);
});

describe('an interrupted call that has not ended yet', () => {
  /** Keeps running after the interruption until released. */
  function stubborn(name: string, kind: 'read' | 'write' | 'execute') {
    let letGo: () => void = () => undefined;
    const going = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const tool = toolOf(name, kind, { run: () => going.then(() => ok('ended')) });
    return { tool, letGo };
  }

  async function interrupt(kind: 'read' | 'write' | 'execute') {
    const { tool, letGo } = stubborn('Stubborn', kind);
    const interrupted = new InterruptedCalls();
    const deps = depsOf({ tools: [...tools, tool], interrupted });
    const stop = new AbortController();
    const run = play([call('Stubborn', { target: 'a/b' })], deps, stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await run).texts).toEqual(['Interrupted by the user while it was running.']);
    return { deps, letGo, interrupted };
  }

  const cases = [
    ['write', 'Change', 'a/b', 'waits'],
    ['write', 'Change', 'a', 'waits'],
    ['write', 'Look', 'a/b', 'waits'],
    ['write', 'Run', 'x', 'waits'],
    ['execute', 'Look', 'elsewhere', 'waits'],
    ['execute', 'Run', 'x', 'waits'],
    ['read', 'Change', 'a/b', 'waits'],
    ['read', 'Look', 'a/b', 'runs'],
    ['write', 'Change', 'a/c', 'runs'],
    ['write', 'Look', 'elsewhere', 'runs'],
  ] as const;
  test.each(cases)('%s a/b: %s %s %s', async (kind, name, target, expected) => {
    const { deps, letGo, interrupted } = await interrupt(kind);
    let done = false;
    const next = play([call(name, { target })], deps).then((outcome) => {
      done = true;
      return outcome;
    });
    if (expected === 'runs') await next;
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(expected === 'runs');
    letGo();
    expect((await next).texts).toEqual([`${name} ${target}`]);
    await interrupted.ended();
    const { signal } = new AbortController();
    expect(await interrupted.waitFor([{ kind: 'execute', target: 'any' }], signal)).toBeNull();
  });

  test('a call that never ends fails only conflicting calls, not the conversation; waiting for it can be interrupted', async () => {
    const { deps } = await interrupt('write');
    const stop = new AbortController();
    const waiting = play([call('Change', { target: 'a/b' })], deps, stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await waiting).texts).toEqual(['Interrupted by the user before it ran.']);

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const next = play([call('Change', { target: 'a/b' })], deps);
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await next).texts).toEqual([
      '"Stubborn a/b" was interrupted but is still running, and this call touches the same files. Do something else first, or try again later.',
    ]);
  });
});
