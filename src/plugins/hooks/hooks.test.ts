import { expect, test } from 'vitest';
import type { HookEvent } from '../../contract/hook-event.ts';
import { type HookRow, handlersOf, isMatched, targetOf } from './handlers.ts';
import { createHooks } from './hooks.ts';
import type { HookEnding } from './outcome.ts';

const done: HookEnding = { exitCode: 0, stdout: '', stderr: '', timedOut: false };
const { signal } = new AbortController();
const nothing = { blocked: null, stopped: null, decision: null, context: [] };

/** Hooks whose commands end as `play` says; records runs and notices. */
function bench(
  rows: readonly HookRow[],
  play: (command: string) => Promise<Partial<HookEnding>>,
  event: HookEvent = 'PreToolUse',
) {
  const ran: { command: string; timeoutMs: number; told: unknown }[] = [];
  const notices: string[] = [];
  const hooks = createHooks({
    handlers: handlersOf([{ rows: { [event]: rows } }]),
    facts: () => ({ session_id: 's' }),
    otherNames: (tool) => (tool === 'mcp__a__b' ? ['a:b'] : []),
    notice: (text) => notices.push(text),
    async run({ handler, input }) {
      const command = targetOf(handler);
      ran.push({ command, timeoutMs: handler.timeoutMs, told: JSON.parse(input) });
      return { ...done, ...(await play(command)) };
    },
  });
  const fire = (tool_name: string, meets?: (rule: string) => Promise<boolean>) =>
    hooks.fire(event, { facts: { tool_name, source: tool_name }, signal, ...(meets && { meets }) });
  return { fire, ran, notices, commands: () => ran.splice(0).map(({ command }) => command) };
}

const matchers: [matcher: string, name: string, isMatch: boolean][] = [
  ['', 'Read', true],
  ['*', 'Read', true],
  ['Read', 'Read', true],
  ['Rea', 'Read', false],
  ['read', 'Read', false],
  ['Read|Edit', 'Edit', true],
  ['Read, Edit', 'Edit', true],
  ['Re|Ed', 'Edit', false],
  ['mcp__a', 'mcp__a__b', false],
  ['mcp__a__.*', 'mcp__a__b', true],
  // A regular expression may match a part.
  ['^mcp__', 'mcp__a__b', true],
  ['mcp__.*__del.*', 'mcp__a__delete_all', true],
  ['Edit.*', 'MultiEdit', true],
  ['^(Edit|Write)$', 'MultiEdit', false],
  ['plugin:reviewer', 'plugin:reviewer', true],
];

test.each(matchers)('the matcher %j and %s: %s', (matcher, name, isMatch) => {
  expect(isMatched(matcher, [name])).toBe(isMatch);
});

test('a matcher is compared with the field of its event, and ignored where there is none', async () => {
  const rows = ['Read', 'a:.*', 'startup', ''].map((matcher) => ({ matcher, command: `<${matcher}>` }));
  const tools = bench(rows, async () => ({}));
  await tools.fire('Read');
  expect(tools.commands()).toEqual(['<Read>', '<>']);
  await tools.fire('mcp__a__b');
  expect(tools.commands()).toEqual(['<a:.*>', '<>']);
  const starts = bench(rows, async () => ({}), 'SessionStart');
  await starts.fire('startup');
  expect(starts.commands()).toEqual(['<startup>', '<>']);
  const stops = bench(rows, async () => ({}), 'Stop');
  await stops.fire('x');
  expect(stops.commands()).toEqual(['<Read>', '<a:.*>', '<startup>', '<>']);
});

test('all run side by side with the same input; the first that blocks and the last input count', async () => {
  const rows = ['note', 'change', 'block', 'change again', 'block too'].map((command) => ({ command }));
  let running = 0;
  let most = 0;
  const { fire, ran } = bench(rows, async (command) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((go) => setTimeout(go, command === 'block' ? 20 : 1));
    running -= 1;
    if (command === 'change') return { stdout: '{"updatedInput":{"x":1}}' };
    if (command === 'change again') return { stdout: '{"updatedInput":{"x":2}}' };
    if (command === 'note') return { stdout: '{"additionalContext":"hm"}' };
    return { exitCode: 2, stderr: command };
  });
  expect(await fire('Read')).toEqual({ ...nothing, blocked: 'block', context: ['hm'], input: { x: 2 } });
  expect(most).toBe(5);
  const told = { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Read', source: 'Read' };
  expect(ran.map((run) => run.told)).toEqual(rows.map(() => told));
});

test('a command that is listed twice runs once', async () => {
  const nested = { hooks: [{ command: 'x' }, { command: 'y' }] };
  const { fire, commands } = bench([{ command: 'x' }, { matcher: 'Read', ...nested }], async () => ({}));
  await fire('Read');
  expect(commands()).toEqual(['x', 'y']);
});

test('one that fails or cannot start is reported and skipped; both spellings of the time limit work', async () => {
  const rows = [
    { command: 'fails', timeoutMs: 5 },
    { command: 'own' },
    { hooks: [{ command: 'throws', timeout: 2 }, { command: 'fine' }] },
    { hooks: [{ type: 'http' as const, url: 'https://example.com/' }] },
  ];
  const { fire, ran, notices } = bench(rows, async (command) => {
    if (command === 'throws') throw new Error('no sandbox');
    return { exitCode: command === 'fails' ? 1 : 0 };
  });
  expect(await fire('Read')).toEqual(nothing);
  expect(ran.map(({ timeoutMs }) => timeoutMs)).toEqual([5, 60_000, 2_000, 600_000, 30_000]);
  expect(notices.sort()).toEqual([
    'The PreToolUse hook `fails` failed: exit code 1.',
    'The PreToolUse hook `throws` failed: no sandbox.',
  ]);
});

test('of several hooks, one that asks wins over those that allow, in any order', async () => {
  const decides = (permissionDecision: string) =>
    JSON.stringify({
      hookSpecificOutput: { permissionDecision, permissionDecisionReason: permissionDecision },
    });
  const table: [said: string[], verdict: string | null][] = [
    [['allow'], 'allow'],
    [['ask'], 'ask'],
    [['defer'], 'ask'],
    [['allow', 'ask'], 'ask'],
    [['ask', 'allow'], 'ask'],
    [['allow', 'never heard of'], 'ask'],
    [[], null],
  ];
  for (const [words, verdict] of table) {
    const { fire } = bench(
      words.map((command) => ({ command })),
      async (command) => ({ stdout: decides(command) }),
    );
    expect((await fire('Read')).decision?.verdict ?? null).toBe(verdict);
  }
  const { fire } = bench([{ command: 'allow' }, { command: 'deny' }], async (command) => ({
    stdout: decides(command),
  }));
  expect(await fire('Read')).toMatchObject({ blocked: 'deny' });
});

test('what a hook prints and nobody knows is named once, however often it runs', async () => {
  const { fire, notices } = bench([{ command: 'x' }], async () => ({
    stdout: '{"frobnicate":1,"hookSpecificOutput":{"permissionDecision":"perhaps"}}',
  }));
  await fire('Read');
  await fire('Read');
  expect(notices).toEqual([
    'The PreToolUse hook `x` printed permissionDecision "perhaps", the field frobnicate: not supported there, so you are asked.',
  ]);
});

test('one that ends the run says why, and what it says to the user is shown', async () => {
  const { fire, notices } = bench([{ command: 'stop' }], async () => ({
    stdout: '{"continue":false,"stopReason":"enough","systemMessage":"hello"}',
  }));
  expect(await fire('Read')).toEqual({ ...nothing, stopped: 'enough' });
  expect(notices).toEqual(['hello']);
});

test('if, once, async and args mean what they mean elsewhere', async () => {
  const hooks = [
    { command: 'git', if: 'Bash(git *)' },
    { command: 'rm', if: 'Bash(rm *)' },
    { command: 'first', once: true },
    { command: 'slow', async: true },
    { command: 'echo', args: ["it's", '$HOME'] },
  ];
  let isOver = false;
  const { fire, commands } = bench([{ hooks }], async (command) => {
    while (command === 'slow' && !isOver) await new Promise((go) => setTimeout(go, 5));
    return command === 'slow' ? { exitCode: 2, stderr: 'too late' } : {};
  });
  const meets = async (rule: string) => rule === 'Bash(git *)';
  expect(await fire('Bash', meets)).toEqual(nothing);
  expect(commands()).toEqual(['git', 'first', 'slow', "'echo' 'it'\\''s' '$HOME'"]);
  await fire('Bash', meets);
  expect(commands()).toEqual(['git', 'slow', "'echo' 'it'\\''s' '$HOME'"]);
  isOver = true;
});
