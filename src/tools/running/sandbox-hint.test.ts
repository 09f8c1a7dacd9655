import { describe, expect, test } from 'vitest';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandOutcome } from '../../contract/tool.ts';
import { sandboxErrors, sandboxHint } from './sandbox-hint.ts';

const confined: SandboxState = { kind: 'bubblewrap', level: 'standard', network: 'none' };

function outcome(stderr: string, sandbox: Partial<SandboxState> = {}): CommandOutcome {
  return {
    stdout: '',
    stderr,
    exitCode: 1,
    signal: null,
    timedOut: false,
    durationMs: 1,
    sandbox: { ...confined, ...sandbox },
  };
}

describe('the hint after a failure', () => {
  test.each(
    sandboxErrors.flatMap(({ match, examples }) => examples.hits.map((text) => [text, match] as const)),
  )('%s matches', (text, match) => expect(match.test(text)).toBe(true));

  test.each(
    sandboxErrors.flatMap(({ match, examples }) => examples.misses.map((text) => [text, match] as const)),
  )('%s does not match', (text, match) => expect(match.test(text)).toBe(false));

  test('names the restriction and the alternative', () => {
    expect(sandboxHint(outcome('curl: (6) Could not resolve host: a.example'), { mayLeave: true })).toBe(
      'The sandbox blocked this (there is no network). If it is necessary, ask for outside_sandbox.',
    );
    expect(sandboxHint(outcome('x: Read-only file system', { level: 'strict' }), { mayLeave: true })).toBe(
      'The sandbox blocked this (no files can be changed). If it is necessary, ask for outside_sandbox.',
    );
  });

  test('does not name an alternative that is closed', () => {
    expect(sandboxHint(outcome('x: Read-only file system'), { mayLeave: false })).toBe(
      'The sandbox blocked this (only the working directory and /tmp can be changed). ' +
        'Nothing can run outside it here: find another way, or tell the user what is missing.',
    );
  });

  test('is absent where the sandbox is not the cause', () => {
    expect(
      sandboxHint(outcome('Could not resolve host: a.example', { network: 'open' }), { mayLeave: true }),
    ).toBeNull();
    expect(sandboxHint(outcome('x: Read-only file system', { kind: 'host' }), { mayLeave: true })).toBeNull();
    expect(sandboxHint(outcome('1 test failed'), { mayLeave: true })).toBeNull();
  });
});
