import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../contract/event.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import { reduceSubagents, type Subagent, withoutSubagents } from '../view/subagents.ts';
import type { Line } from '../view/types.ts';
import { subagentLines } from './subagents.ts';

const theme = themeOf('dark', 'none');
const room = { columns: 60, theme, rows: 20, now: 22_000 };
const words = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''));

type Told = Extract<AgentEvent, { type: 'subagent' }>;
const from = (path: readonly string[], event: AgentEvent): Told => {
  const [callId = '', ...rest] = path;
  const inner = rest.length === 0 ? event : from(rest, event);
  return { type: 'subagent', callId, agent: `general: ${callId}`, event: inner };
};
const starts = (title: string): AgentEvent => ({
  type: 'tool_start',
  call: { id: title, name: 'Bash', input: {} },
  title,
});
const ends: AgentEvent = { type: 'tool_end', callId: 'x', name: 'Bash', success: true, durationMs: 1 };
const usage = (inputTokens: number): AgentEvent => ({
  type: 'usage',
  usage: { inputTokens, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
});
const over = (reason: 'done' | 'error'): AgentEvent => ({ type: 'end', reason, turns: 1 });

function after(...events: [path: string[], event: AgentEvent, at?: number][]): readonly Subagent[] {
  return events.reduce<readonly Subagent[]>(
    (so, [path, event, at = 0]) => reduceSubagents(so, from(path, event), at),
    [],
  );
}

test('two rows each: name, calls, tokens and time; what it does now', () => {
  const subagents = after(
    [['a'], { type: 'turn_start', turn: 1 }],
    [['b'], { type: 'turn_start', turn: 1 }, 2_000],
    [['a'], usage(11_900)],
    [['a'], starts('Bash npm test')],
    [['b'], starts('Read a.ts')],
    [['b'], ends],
    [['b'], starts('Grep x')],
    [['b'], { type: 'thinking', text: 'hm' }],
  );
  expect(words(subagentLines(subagents, room))).toEqual([
    '⠿ general: a · 1 call · 12k tokens · 22s',
    '  Running npm test',
    '⠿ general: b · 2 calls · 20s',
    '  Thinking',
  ]);
});

test('nested ones are indented under their parent, whenever they appear', () => {
  const subagents = after(
    [['a'], starts('Task general: a1')],
    [['b'], starts('Bash ls')],
    [['a', 'a1'], starts('Read x.ts')],
    [['a', 'a2'], starts('Read y.ts')],
  );
  expect(words(subagentLines(subagents, room))).toEqual([
    '⠿ general: a · 1 call · 22s',
    '  Waiting for general: a1',
    '  ⠿ general: a1 · 1 call · 22s',
    '    Reading x.ts',
    '  ⠿ general: a2 · 1 call · 22s',
    '    Reading y.ts',
    '⠿ general: b · 1 call · 22s',
    '  Running ls',
  ]);
});

test('a finished one is one row with its outcome, after those that still work; its own are gone', () => {
  const subagents = after(
    [['a'], starts('Bash ls')],
    [['a', 'a1'], starts('Bash ls')],
    [['b'], starts('Bash ls')],
    [['c'], starts('Bash ls')],
    [['a'], over('done'), 4_000],
    [['c'], over('error'), 5_000],
  );
  expect(words(subagentLines(subagents, room))).toEqual([
    '⠿ general: b · 1 call · 22s',
    '  Running ls',
    '✓ general: a · 1 call · 4s',
    '✗ general: c · 1 call · 5s',
  ]);
});

test('with less room the first rows stay: one row each, then the rest is counted', () => {
  const subagents = after(...Array.from({ length: 5 }, (_, i) => [[`${i}`], starts('Bash ls')] as never));
  const at = (rows: number) => words(subagentLines(subagents, { ...room, rows }));
  expect(at(10)).toHaveLength(10);
  expect(at(9)).toEqual(Array.from({ length: 5 }, (_, i) => `⠿ general: ${i} · 1 call · 22s`));
  expect(at(3)).toEqual(['⠿ general: 0 · 1 call · 22s', '⠿ general: 1 · 1 call · 22s', '+3 more']);
  expect(at(1)).toEqual(['5 subagents']);
});

test('the end of a call removes what it has started', () => {
  const subagents = after([['a'], starts('x')], [['a', 'b'], starts('y')], [['c'], starts('z')]);
  expect(withoutSubagents(subagents, 'a').map(({ path }) => path)).toEqual([['c']]);
});

test('whatever happens, the rows fit and the tree is complete or counted', () => {
  const path = fc.array(fc.constantFrom('a', 'b', '日本語'), { minLength: 1, maxLength: 3 });
  const event = fc.constantFrom(starts('Bash ls'), usage(5), over('done'), ends, starts('\u001b[2J evil\n'));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(path, event)),
      fc.integer({ min: 10, max: 120 }),
      fc.integer({ min: 1, max: 12 }),
      (events, columns, rows) => {
        const lines = subagentLines(after(...(events as [string[], AgentEvent][])), {
          ...room,
          columns,
          rows,
        });
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(Math.max(0, ...lines.map(widthOfLine))).toBeLessThanOrEqual(columns);
        expect(words(lines).join('')).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});
