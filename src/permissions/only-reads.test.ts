import { beforeAll, expect, test } from 'vitest';
import { plainPolicy } from '../../test/support/policy.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const standard = { kind: 'bubblewrap', level: 'standard', network: 'none' } as const;
const run = (target: string, policy: Partial<Policy> = {}) =>
  evaluate(
    { tool: 'Bash', accesses: [{ kind: 'execute', target }], input: {} },
    { ...plainPolicy('/srv/app'), sandbox: standard, ...policy },
  );

test.each(['ls', 'git status | head -3', "bash -c 'cat a'"])('%s is free because it only reads', (line) =>
  expect(run(line)).toEqual({ verdict: 'allow', because: 'only reads', by: 'default', onlyReads: true }),
);

test.each(['npm test', 'ls; npm test', 'make'])(
  '%s is free for another reason in a trusted folder',
  (line) => {
    const said = run(line, { trusted: true, mode: 'accept-edits' });
    expect(said.verdict).toBe('allow');
    expect(said).not.toHaveProperty('onlyReads');
  },
);

test('what is asked about, or allowed by a rule, is not marked', () => {
  const rules = { allow: ['Bash(wc *)'], ask: ['Bash(ls *)'], deny: [] };
  expect(run('ls', { rules })).not.toHaveProperty('onlyReads');
  expect(run('wc a', { rules })).not.toHaveProperty('onlyReads');
});
