import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HookEvent, hookEvents } from '../../contract/hook-event.ts';
import { type HookEnding, type HookOutcome, outcomeOf } from './outcome.ts';

const ending = (over: Partial<HookEnding>): HookEnding => ({
  exitCode: 0,
  stdout: '',
  stderr: '',
  timedOut: false,
  ...over,
});
const pre = (over: Partial<HookEnding>) => outcomeOf('PreToolUse', ending(over));
const says = (value: unknown, point: HookEvent = 'PreToolUse') =>
  outcomeOf(point, ending({ stdout: JSON.stringify(value) }));
const said = {
  type: 'said',
  verdict: 'none',
  because: '',
  stops: null,
  context: '',
  notice: '',
  unknown: [] as string[],
} satisfies HookOutcome;
const blocks = (because: string) => ({ ...said, verdict: 'block', because });
const points = hookEvents;
const others = points.filter((point) => !['PreToolUse', 'PermissionRequest'].includes(point));

describe('the exit code', () => {
  test('2 blocks with the text of stderr, any other failure is ignored', () => {
    expect(pre({ exitCode: 2, stderr: 'no\n' })).toEqual(blocks('no'));
    expect(pre({ exitCode: 2, stdout: 'out' })).toEqual(blocks('out'));
    expect(pre({ exitCode: 2, stdout: '{"decision":"approve"}', stderr: 'no' })).toEqual(blocks('no'));
    expect(pre({ exitCode: 2 })).toEqual(blocks('no reason given'));
    expect(pre({ exitCode: 1, stderr: 'a\nb\n' })).toEqual({ type: 'failed', because: 'exit code 1: b' });
    expect(pre({ exitCode: null })).toEqual({ type: 'failed', because: 'exit code null' });
    expect(pre({ exitCode: 2, timedOut: true })).toMatchObject({ type: 'failed' });
  });

  test.each(points)('2 blocks at %s', (point) => {
    expect(outcomeOf(point, ending({ exitCode: 2, stderr: 'no' }))).toEqual(blocks('no'));
  });

  test('plain output is for the model if a prompt is being sent, and ignored otherwise', () => {
    expect(points.map((point) => outcomeOf(point, ending({ stdout: 'hello\n' })))).toEqual(
      points.map((point) => ({
        ...said,
        context: point === 'UserPromptSubmit' || point === 'SessionStart' ? 'hello' : '',
      })),
    );
  });
});

describe('a decision in JSON', () => {
  const permission = (permissionDecision: unknown, more: object = {}) => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
  });
  const decisions: [value: object, verdict: string, because: string][] = [
    [permission('allow'), 'allow', 'no reason given'],
    [permission('allow', { permissionDecisionReason: 'safe' }), 'allow', 'safe'],
    [permission('deny', { permissionDecisionReason: 'c' }), 'block', 'c'],
    [permission('ask', { permissionDecisionReason: 'look' }), 'ask', 'look'],
    [permission('defer'), 'ask', 'no reason given'],
    [{ decision: 'approve', reason: 'ok' }, 'allow', 'ok'],
    [{ decision: 'block', reason: 'a' }, 'block', 'a'],
    [{ decision: 'deny' }, 'block', 'no reason given'],
    [{ decision: 'ask' }, 'ask', 'no reason given'],
    // The strictest of several wins.
    [{ decision: 'approve', ...permission('deny') }, 'block', 'no reason given'],
    [{ decision: 'block', ...permission('allow') }, 'block', 'no reason given'],
    [{ decision: 'approve', ...permission('ask') }, 'ask', 'no reason given'],
  ];
  test.each(decisions)('PreToolUse: %j is %s', (value, verdict, because) => {
    expect(says(value)).toEqual({ ...said, verdict, because });
  });

  const unclear: [value: object, unknown: string][] = [
    [permission('maybe'), 'permissionDecision "maybe"'],
    [permission('Allow'), 'permissionDecision "Allow"'],
    [permission(true), 'permissionDecision true'],
    [permission({ behavior: 'allow' }), 'permissionDecision {"behavior":"allow"}'],
    [{ decision: 'yes' }, 'decision "yes"'],
    [{ decision: 'toString' }, 'decision "toString"'],
  ];
  test.each(unclear)('PreToolUse: %j is not a yes, and is named', (value, unknown) => {
    expect(says(value)).toEqual({ ...said, verdict: 'ask', because: 'no reason given', unknown: [unknown] });
  });

  test.each(others)('%s: only a block counts, and what has no meaning there is named', (point) => {
    expect(says({ decision: 'block', reason: 'a' }, point)).toEqual(blocks('a'));
    expect(says({ decision: 'approve' }, point)).toEqual(said);
    expect(says({ decision: 'maybe' }, point)).toEqual({ ...said, unknown: ['decision "maybe"'] });
    expect(
      says({ hookSpecificOutput: { permissionDecision: 'deny', updatedInput: { a: 1 } } }, point),
    ).toEqual({
      ...said,
      unknown: [
        'the field hookSpecificOutput.permissionDecision',
        'the field hookSpecificOutput.updatedInput',
      ],
    });
  });

  test.each(points)('%s: continue, stopReason, systemMessage, suppressOutput, additionalContext', (point) => {
    expect(says({ continue: false, stopReason: 'b' }, point)).toEqual({ ...said, stops: 'b' });
    expect(says({ continue: false }, point)).toEqual({ ...said, stops: 'no reason given' });
    expect(says({ continue: true, stopReason: 'b', suppressOutput: true }, point)).toEqual(said);
    expect(says({ continue: false, decision: 'block', reason: 'r', stopReason: 's' }, point)).toEqual({
      ...blocks('r'),
      stops: 's',
    });
    expect(says({ systemMessage: 'told' }, point)).toEqual({ ...said, notice: 'told' });
    const hookSpecificOutput = { hookEventName: point, additionalContext: 'more' };
    expect(says({ hookSpecificOutput }, point)).toEqual({ ...said, context: 'more' });
    expect(says({ additionalContext: 'more' }, point)).toEqual({ ...said, context: 'more' });
  });

  const answers: [decision: unknown, verdict: string, stops: string | null, unknown: string[]][] = [
    [{ behavior: 'allow' }, 'allow', null, []],
    [{ behavior: 'deny', message: 'no' }, 'block', null, []],
    [{ behavior: 'deny', message: 'no', interrupt: true }, 'block', 'no', []],
    [{ behavior: 'allow', interrupt: true }, 'allow', null, []],
    [{ behavior: 'Allow' }, 'ask', null, ['decision.behavior "Allow"']],
    [{ behavior: true }, 'ask', null, ['decision.behavior true']],
    // A yes to another input is not a yes to this one.
    [{ behavior: 'allow', updatedInput: { a: 1 } }, 'ask', null, ['decision.updatedInput {"a":1}']],
    [
      { behavior: 'allow', updatedPermissions: [] },
      'allow',
      null,
      ['the field hookSpecificOutput.decision.updatedPermissions'],
    ],
    ['allow', 'none', null, ['the field hookSpecificOutput.decision']],
    [{}, 'none', null, []],
  ];
  test.each(answers)('PermissionRequest: %j is %s', (decision, verdict, stops, unknown) => {
    const outcome = says({ hookSpecificOutput: { decision } }, 'PermissionRequest');
    expect(outcome).toMatchObject({ type: 'said', verdict, stops, unknown });
  });

  test('PermissionRequest: a block of the older kind denies', () => {
    expect(says({ decision: 'block', reason: 'a' }, 'PermissionRequest')).toEqual(blocks('a'));
    expect(says({ decision: 'approve' }, 'PermissionRequest')).toMatchObject({ verdict: 'none' });
  });

  test('the input is replaced whatever is decided', () => {
    expect(says(permission('allow', { updatedInput: { a: 1 } }))).toMatchObject({
      verdict: 'allow',
      input: { a: 1 },
    });
    expect(says({ updatedInput: { a: 1 } })).toEqual({ ...said, input: { a: 1 } });
  });

  const strange: [value: object, unknown: string[]][] = [
    [{ continu: false }, ['the field continu']],
    [{ permissionDecision: 'deny' }, ['the field permissionDecision']],
    [{ hookSpecificOutput: { updatedToolOutput: 'x' } }, ['the field hookSpecificOutput.updatedToolOutput']],
    [{ hookSpecificOutput: 'deny' }, ['the field hookSpecificOutput']],
    [{ continue: 'false' }, ['the field continue']],
    [{ updatedInput: [1], additionalContext: 7 }, ['the field updatedInput', 'the field additionalContext']],
    [{ hookSpecificOutput: { hookEventName: 'Stop' } }, ['hookEventName "Stop"']],
  ];
  test.each(strange)('%j: unknown fields and values are named', (value, unknown) => {
    expect(says(value)).toEqual({ ...said, unknown });
  });

  test('invalid JSON is plain output, and named', () => {
    const unknown = ['output that starts like JSON but is not'];
    expect(pre({ stdout: '{ "decision": "block"' })).toEqual({ ...said, unknown });
    expect(outcomeOf('SessionStart', ending({ stdout: '{ no' }))).toEqual({
      ...said,
      context: '{ no',
      unknown,
    });
  });

  test('no JSON makes it throw, counts as a yes unless it says so, or changes the input to anything but an object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, decision) => {
        const answer = says({ hookSpecificOutput: { decision } }, 'PermissionRequest');
        for (const outcome of [says(value), says(permission(decision)), says({ decision }), answer]) {
          if (outcome.type !== 'said') continue;
          expect(outcome.verdict).not.toBe('allow');
          if (outcome.input !== undefined)
            expect(Object.getPrototypeOf(outcome.input)).toBe(Object.prototype);
        }
      }),
    );
  });

  test('the model gets a bounded part of the output', () => {
    const outcome = says({ decision: 'block', reason: 'x'.repeat(100_000) });
    expect(outcome.because.length).toBeLessThan(10_000);
  });
});
