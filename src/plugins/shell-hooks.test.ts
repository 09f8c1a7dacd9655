import { expect, test } from 'vitest';
import type { HookEnding } from './hook-outcome.ts';
import { createShellHooks, type HookRun, type HookSettings } from './shell-hooks.ts';

const none: HookSettings = {
  PreToolUse: [],
  PostToolUse: [],
  UserPromptSubmit: [],
  Stop: [],
  SessionStart: [],
  SessionEnd: [],
  PreCompact: [],
};
const done: HookEnding = { exitCode: 0, stdout: '', stderr: '', timedOut: false };
const { signal } = new AbortController();
const nothing = { blocked: null, stopped: null, decision: null, context: [] };

/** Hooks whose commands end as `play` says; records runs and notices. */
function bench(PreToolUse: HookSettings['PreToolUse'], play: (run: HookRun) => Promise<Partial<HookEnding>>) {
  const ran: { command: string; timeoutMs: number; told: unknown }[] = [];
  const notices: string[] = [];
  const hooks = createShellHooks({
    hooks: { ...none, PreToolUse },
    facts: () => ({ session_id: 's' }),
    notice: (text) => notices.push(text),
    async run(run) {
      ran.push({ command: run.command, timeoutMs: run.timeoutMs, told: JSON.parse(run.input) });
      return { ...done, ...(await play(run)) };
    },
  });
  const fire = (tool: string) =>
    hooks.fire('PreToolUse', { tool, facts: (input) => ({ tool_input: input ?? 'first' }), signal });
  return { hooks, fire, ran, notices };
}

test('a matcher is a regular expression for the whole name; MCP tools also match by their other name', async () => {
  const rows = ['Read', 'Read|Edit', 'Rea', '*', '', 'mcp__a__.*', 'a:.*'].map((matcher) => ({
    matcher,
    command: matcher,
  }));
  const { fire, ran } = bench([...rows, { command: 'always' }], async () => ({}));
  await fire('Read');
  expect(ran.splice(0).map(({ command }) => command)).toEqual(['Read', 'Read|Edit', '*', '', 'always']);
  await fire('a:b');
  expect(ran.map(({ command }) => command)).toEqual(['*', '', 'mcp__a__.*', 'a:.*', 'always']);
});

test('each gets the input that the previous one left; the first that blocks decides', async () => {
  const rows = ['change', 'note', 'block', 'never'].map((command) => ({ command }));
  const { fire, ran } = bench(rows, async ({ command }) => {
    if (command === 'change') return { stdout: '{"updatedInput":{"x":1}}' };
    if (command === 'note') return { stdout: '{"additionalContext":"hm"}' };
    return { exitCode: 2, stderr: 'no' };
  });
  expect(await fire('Read')).toEqual({ ...nothing, blocked: 'no', context: ['hm'], input: { x: 1 } });
  expect(ran.map(({ told }) => told)).toEqual([
    { session_id: 's', hook_event_name: 'PreToolUse', tool_input: 'first' },
    { session_id: 's', hook_event_name: 'PreToolUse', tool_input: { x: 1 } },
    { session_id: 's', hook_event_name: 'PreToolUse', tool_input: { x: 1 } },
  ]);
});

test('one that fails or cannot start is reported and skipped; both spellings of the time limit work', async () => {
  const rows = [
    { command: 'fails', timeoutMs: 5 },
    { hooks: [{ command: 'throws', timeout: 2 }, { command: 'fine' }] },
  ];
  const { fire, ran, notices } = bench(rows, async ({ command }) => {
    if (command === 'throws') throw new Error('no sandbox');
    return { exitCode: command === 'fails' ? 1 : 0 };
  });
  expect(await fire('Read')).toEqual(nothing);
  expect(ran.map(({ timeoutMs }) => timeoutMs)).toEqual([5, 2_000, 60_000]);
  expect(notices).toEqual([
    'The PreToolUse hook `fails` failed: exit code 1.',
    'The PreToolUse hook `throws` failed: no sandbox.',
  ]);
});

test('they run one at a time, in the order requested', async () => {
  let running = 0;
  const { fire, ran } = bench([{ command: 'x' }], async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((go) => setTimeout(go, 5));
    running -= 1;
    return {};
  });
  await Promise.all(['A', 'B', 'C'].map(fire));
  expect(ran.length).toBe(3);
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
    [['allow', 'never heard of', 'allow'], 'ask'],
    [[], null],
  ];
  for (const [words, verdict] of table) {
    const { fire } = bench(
      words.map((command) => ({ command })),
      async ({ command }) => ({ stdout: decides(command) }),
    );
    expect((await fire('Read')).decision?.verdict ?? null).toBe(verdict);
  }
  const { fire } = bench(
    [{ command: 'allow' }, { command: 'deny' }, { command: 'allow' }],
    async ({ command }) => ({
      stdout: decides(command),
    }),
  );
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

test('one that ends the run keeps the others from running', async () => {
  const { fire, ran } = bench([{ command: 'stop' }, { command: 'never' }], async () => ({
    stdout: '{"continue":false,"stopReason":"enough","systemMessage":"hello"}',
  }));
  expect(await fire('Read')).toEqual({ ...nothing, stopped: 'enough' });
  expect(ran.length).toBe(1);
});
