import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HookEnding, type HookPoint, outcomeOf } from './hook-outcome.ts';

const ending = (over: Partial<HookEnding>): HookEnding => ({
  exitCode: 0,
  stdout: '',
  stderr: '',
  timedOut: false,
  ...over,
});
const pre = (over: Partial<HookEnding>) => outcomeOf('PreToolUse', ending(over));
const says = (value: unknown) => pre({ stdout: JSON.stringify(value) });
const silent = { type: 'go', context: '', notice: '' };

describe('the exit code', () => {
  test('2 blocks with the text of stderr, any other failure is ignored', () => {
    expect(pre({ exitCode: 2, stderr: 'no\n' })).toEqual({ type: 'block', because: 'no' });
    expect(pre({ exitCode: 2, stdout: 'out' })).toEqual({ type: 'block', because: 'out' });
    expect(pre({ exitCode: 2 })).toEqual({ type: 'block', because: 'no reason given' });
    expect(pre({ exitCode: 1, stderr: 'a\nb\n' })).toEqual({ type: 'failed', because: 'exit code 1: b' });
    expect(pre({ exitCode: null })).toEqual({ type: 'failed', because: 'exit code null' });
    expect(pre({ exitCode: 2, timedOut: true })).toMatchObject({ type: 'failed' });
  });

  test('plain output is for the model if a prompt is being sent, and ignored otherwise', () => {
    const points: HookPoint[] = ['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse', 'Stop'];
    expect(points.map((point) => outcomeOf(point, ending({ stdout: 'hello\n' })))).toEqual([
      { ...silent, context: 'hello' },
      { ...silent, context: 'hello' },
      silent,
      silent,
      silent,
    ]);
  });
});

describe('a decision in JSON', () => {
  test.each([
    [{ decision: 'block', reason: 'a' }, 'a'],
    [{ decision: 'deny' }, 'no reason given'],
    [{ continue: false, stopReason: 'b' }, 'b'],
    [{ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'c' } }, 'c'],
  ])('%j blocks', (value, because) => {
    expect(says(value)).toEqual({ type: 'block', because });
  });

  test('an approval grants nothing: the rules still decide', () => {
    expect(says({ decision: 'approve' })).toEqual(silent);
    expect(says({ hookSpecificOutput: { permissionDecision: 'allow' } })).toEqual(silent);
  });

  test('an input, text for the model and text for the user are extracted', () => {
    const value = {
      systemMessage: 'told',
      hookSpecificOutput: { updatedInput: { a: 1 }, additionalContext: 'more' },
    };
    expect(says(value)).toEqual({ type: 'go', input: { a: 1 }, context: 'more', notice: 'told' });
    expect(says({ updatedInput: [1], additionalContext: 7 })).toEqual(silent);
  });

  test('invalid JSON is plain output', () => {
    expect(pre({ stdout: '{ "decision": "block"' })).toEqual(silent);
    expect(outcomeOf('SessionStart', ending({ stdout: '{ no' }))).toEqual({ ...silent, context: '{ no' });
  });

  test('no JSON makes it throw, or changes the input to anything but an object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const outcome = says(value);
        if (outcome.type === 'go' && outcome.input !== undefined)
          expect(Object.getPrototypeOf(outcome.input)).toBe(Object.prototype);
      }),
    );
  });

  test('the model gets a bounded part of the output', () => {
    const outcome = says({ decision: 'block', reason: 'x'.repeat(100_000) });
    expect(outcome.type === 'block' && outcome.because.length).toBeLessThan(10_000);
  });
});
