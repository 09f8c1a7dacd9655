import { beforeAll, describe, expect, test } from 'vitest';
import { plainPolicy } from '../../../test/support/policy.ts';
import { evaluate } from '../evaluate.ts';
import { classify } from './classify.ts';
import { loadGrammar } from './grammar.ts';
import { readsAlike } from './reads-alike.ts';

beforeAll(loadGrammar);

const place = { cwd: '/work', trusted: false, isInside: () => true };

test.each([
  ['git status', true],
  ['ls -la src/lib', true],
  ['npm test', true],
  ['cat env:ANTHROPIC_API_KEY', false],
  ['git log "a\\"; Remove-Item x; "', false],
  ['ls `whoami', false],
  ['ls; ls', false],
  ['ls $HOME', false],
  ['ls (del x)', false],
  ['ls @args', false],
  ['ls\nls', false],
  ['', false],
])('[N04] PowerShell parses %j as bash does: %s', (line, alike) => {
  expect(readsAlike(line, 'powershell')).toBe(alike);
  expect([
    readsAlike(line, 'cmd'),
    readsAlike(line, 'bash'),
    readsAlike(line, 'sh'),
    readsAlike(line),
  ]).toEqual([false, true, true, true]);
});

describe('[N04] a line that is parsed differently is never free', () => {
  const escaping = 'git log "a\\"; Remove-Item x; "';

  test('a line that is read-only in bash is asked about in PowerShell, and in cmd always', () => {
    const verdict = (line: string, shell: string) => classify(line, { ...place, shell }).verdict;
    expect([verdict(escaping, 'bash'), verdict(escaping, 'powershell')]).toEqual(['allow', 'ask']);
    expect([verdict('git status', 'powershell'), verdict('git status', 'cmd')]).toEqual(['allow', 'ask']);
    expect(verdict('rm -rf /', 'powershell')).toBe('deny');
  });

  const policy = plainPolicy('/work');
  const judged = (line: string, allow: string, shell: string) =>
    evaluate(
      { tool: 'Bash', accesses: [{ kind: 'execute', target: line }], input: {} },
      { ...policy, shell, rules: { ...policy.rules, allow: [allow] } },
    ).verdict;

  test('a rule with a star covers only lines that are parsed alike; a whole-line or bare rule covers any', () => {
    const line = 'npm run "a\\"; Remove-Item x; "';
    expect(judged(line, 'Bash(npm *)', 'bash')).toBe('allow');
    expect(judged(line, 'Bash(npm *)', 'powershell')).toBe('ask');
    expect(judged('npm run build', 'Bash(npm *)', 'powershell')).toBe('allow');
    expect(judged('echo "hi"', 'Bash(echo "hi")', 'powershell')).toBe('allow');
    expect(judged(line, 'Bash', 'powershell')).toBe('allow');
  });
});
