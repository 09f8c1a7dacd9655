import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandPlace } from '../../src/assembly/safety/judge-command.ts';
import { evaluate } from '../../src/permissions/evaluate.ts';
import { createGate } from '../../src/permissions/gate.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { loadGrammar } from '../../src/permissions/shell/grammar.ts';
import { createGuard } from '../../src/sandbox/guard.ts';
import { plainPolicy } from '../support/policy.ts';

let policy: Policy;
let cwd: string;

beforeAll(async () => {
  await loadGrammar();
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-denied-')));
  for (const name of ['private/a', 'src/private', 'src/a.ts', 'b', 'docs/c.md', 'open/prod.env']) {
    await mkdir(path.join(cwd, path.dirname(name)), { recursive: true });
    await writeFile(path.join(cwd, name), 'x\n');
  }
  await symlink('private', path.join(cwd, 'link'));
  const home = path.join(cwd, 'home');
  const guard = createGuard({ cwd, home, additionalDirectories: [], blockedPaths: [], allowedPaths: [] });
  policy = {
    ...plainPolicy(cwd),
    ...commandPlace(guard, { cwd, home, trusted: true }),
    sandbox: { kind: 'host', level: 'permissive', network: 'open' },
    realOf: (file) => guard.realOf(file),
    reach: (file, mode) => guard.reach(file, mode),
    rules: { allow: ['Bash(cat *)', 'Bash(make *)'], ask: [], deny: ['Read(private/**)'] },
  };
});
afterAll(() => rm(cwd, { recursive: true }));

const call = (target: string) => ({
  tool: 'Bash',
  accesses: [{ kind: 'execute' as const, target }],
  input: {},
});
const judge = (target: string, more: Partial<Policy> = {}) => evaluate(call(target), { ...policy, ...more });

describe('without a sandbox, a path that is denied for reading is denied for every command', () => {
  test.each([
    ...[
      'cat private/a',
      'cat b private/a',
      'cat ./private/../private/a',
      'cat -n private/a | head',
      'ls private',
    ],
    ...[
      'cat private/*',
      'cat p*/a',
      'cat pri[v]ate/a',
      'cat link/a',
      'cd private && cat a',
      '(cd private; cat a)',
    ],
    ...[
      'wc -c private/a',
      'cp private/a b',
      'cp -r . /tmp/x',
      'tar czf x.tgz .',
      'diff private src',
      'diff . src',
    ],
    ...[
      'rg x',
      'rg x .',
      'grep -r x .',
      'grep -R x',
      'git grep x',
      'ag x',
      'zip -r x.zip .',
      'diff -r . docs',
    ],
    ...[
      'python3 tool.py private/a',
      'make -f private/a',
      'make X=private/a',
      'curl -d @private/a http://localhost',
    ],
    ...[
      'bash -c "cat private/a"',
      'echo x; cat < private/a',
      'echo a | xargs cat private/a',
      'find . -exec cat private/a +',
    ],
  ])('%s', (line) =>
    expect(judge(line)).toMatchObject({ verdict: 'deny', by: 'rule deny Read(private/**)' }),
  );

  test.each(['rg x docs', 'grep -r x src', 'cat src/private', 'grep private b', 'echo private/a', 'cat b'])(
    '%s does not read it',
    (line) => expect(judge(line).by).not.toBe('rule deny Read(private/**)'),
  );
});

test('a secret is not read under a pattern of allow rules, and no hint suggests a rule that opens it', async () => {
  expect(judge('cat open/prod.env').verdict).toBe('ask');
  expect(judge('make -f open/prod.env').verdict).toBe('ask');
  expect(judge('cat b').verdict).toBe('allow');
  const gate = createGate({ policy: () => policy });
  const request = { ...call('cat open/prod.env'), callId: '1', operation: 'cat open/prod.env', because: '' };
  const { verdict, because } = await gate.decide(request, { signal: AbortSignal.timeout(5_000) });
  expect(verdict).toBe('deny');
  expect(because).not.toContain('--allow');
});

test('a search that the sandbox keeps out of what is denied runs', () => {
  const sandbox = { kind: 'bubblewrap', level: 'standard', network: 'none' } as const;
  expect(judge('rg x .', { sandbox }).verdict).toBe('allow');
  expect(judge('grep -r x .', { sandbox }).verdict).toBe('allow');
  expect(judge('cat private/a', { sandbox }).verdict).toBe('deny');
});

describe('without a sandbox only a small grammar is free', () => {
  const rules = { allow: [], ask: [], deny: [] };
  test.each([
    'cat b',
    'ls -l src',
    'head -n 5 b',
    'rg x docs',
    'grep -n x b',
    'git status',
    'git show HEAD',
    'pwd',
  ])('%s', (line) => expect(judge(line, { rules })).toMatchObject({ verdict: 'allow', onlyReads: true }));
  test.each([
    ...[
      'ls -la',
      'cat missing',
      'ls *.ts',
      'git log --stat=5',
      'git show main',
      'sed -n 1p b',
      'find . -name x',
    ],
    ...[
      "awk '{print $1}' b",
      'jq . b',
      'xxd b',
      'tree',
      'timeout 5 cat b',
      'echo b | xargs echo',
      'rg x open',
      'bash -c ls',
    ],
  ])('%s asks', (line) => expect(judge(line, { rules }).verdict).toBe('ask'));
});
