import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../contract/errors.ts';
import type { Access } from '../contract/permission.ts';
import type { Intent } from './pattern/intent.ts';
import { matchesAccess, parsePattern, readingDenier } from './pattern.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const isInside = (file: string) => `${path.resolve(file)}/`.startsWith(`${cwd}/`);

function matches(pattern: string, tool: string, access: Access, intent: Intent = 'allow'): boolean {
  return matchesAccess(parsePattern(pattern), { tool, access, cwd, isInside }, intent);
}
const runs = (target: string): Access => ({ kind: 'execute', target });

describe('an allow rule for commands', () => {
  const table: [pattern: string, line: string, covered: boolean][] = [
    ['Bash', 'anything at all; more', true],
    ['Bash(*)', 'anything at all', true],
    ['Bash(*)', 'a $(b)', false],
    ['Bash(npm run test)', 'npm run test', true],
    ['Bash(npm run test)', '  npm  run "test" ', true],
    ['Bash(npm run test)', 'npm run test -- -u', false],
    ['Bash(npm run test)', 'npm run test2', false],
    ['Bash(git log *)', 'git log', true],
    ['Bash(git log *)', 'git log --oneline -5', true],
    ['Bash(git log *)', 'git logs', false],
    ['Bash(git log *)', 'git log; rm x', false],
    ['Bash(git log *)', 'git log && git log -1', true],
    ['Bash(git log *)', 'git log | git log', true],
    ['Bash(git log *)', 'git log $(x)', false],
    ['Bash(git log *)', 'git log `x`', false],
    ['Bash(git log *)', 'git log\nrm x', false],
    ['Bash(git log *)', 'git log > x', false],
    ['Bash(git log *)', 'git log 2>/dev/null', true],
    ['Bash(git log *)', 'git log &', false],
    ['Bash(git log *)', 'GIT_PAGER=sh git log', false],
    ['Bash(git log *)', 'env git log', false],
    ['Bash(git log *)', '/tmp/git log', false],
    ['Bash(git log *)', 'git -c a=b log', false],
    ['Bash(git * main)', 'git push main', true],
    ['Bash(git * main)', 'git push -f main', false],
    ['Bash(a && b)', 'a && b', true],
    ['Bash(a && b)', 'a', false],
    ['Bash(a && *)', 'a && b', false],
    ['Bash(echo $HOME)', 'echo $HOME', true],
    ['Read(*)', 'cat a', false],
  ];

  test.each(table)('%s and %j: %s', (pattern, line, covered) =>
    expect(matches(pattern, 'Bash', runs(line))).toBe(covered),
  );
});

describe('an ask or deny rule for commands', () => {
  test.each([
    ...[
      'curl x',
      'ls && curl x',
      'ls | curl x',
      'env curl x',
      '/usr/bin/curl x',
      'echo $(curl x)',
      'bash -c "curl x"',
    ],
    ...[
      'curl x > y',
      'A=1 curl x',
      '(curl x)',
      'timeout 5 curl x',
      'if true; then curl x; fi',
      'xargs curl < a',
    ],
  ])('Bash(curl *) matches %j', (line) =>
    expect(matches('Bash(curl *)', 'Bash', runs(line), 'restrict')).toBe(true),
  );

  test.each(['echo curl x', 'ls curl', 'curly x'])('but not %j', (line) =>
    expect(matches('Bash(curl *)', 'Bash', runs(line), 'restrict')).toBe(false),
  );
});

describe('a rule for paths', () => {
  const table: [pattern: string, tool: string, access: Access, covered: boolean][] = [
    ['Read', 'Read', { kind: 'read', target: 'a.ts' }, true],
    ['Read', 'Read', { kind: 'read', target: '/etc/passwd' }, false],
    ['Read(/etc/hosts)', 'Read', { kind: 'read', target: '/etc/hosts' }, true],
    ['Read(src/**)', 'Read', { kind: 'read', target: 'src/a/b.ts' }, true],
    ['Read(src/**)', 'Read', { kind: 'read', target: '/srv/app/src/a.ts' }, true],
    ['Read(src/**)', 'Read', { kind: 'read', target: 'src/../.env' }, false],
    ['Read(src/**)', 'Read', { kind: 'read', target: '../src/a.ts' }, false],
    ['Read(src/**)', 'Grep', { kind: 'read', target: 'src/a.ts' }, true],
    ['Read(src/**)', 'Write', { kind: 'write', target: 'src/a.ts' }, false],
    ['Grep(src)', 'Grep', { kind: 'read', target: 'src' }, true],
    ['Grep(src)', 'Read', { kind: 'read', target: 'src' }, false],
    ['Edit', 'Edit', { kind: 'write', target: 'a.ts' }, true],
    ['Edit', 'Write', { kind: 'write', target: 'a.ts' }, true],
    ['Edit', 'MultiEdit', { kind: 'write', target: 'a.ts' }, true],
    ['Edit', 'Write', { kind: 'write', target: '/etc/passwd' }, false],
    ['Write(docs/*.md)', 'Write', { kind: 'write', target: 'docs/a.md' }, true],
    ['Write(docs/*.md)', 'Write', { kind: 'write', target: 'docs/x/a.md' }, false],
    ['Write(docs/*.md)', 'Edit', { kind: 'write', target: 'docs/a.md' }, false],
    ['Edit(src)', 'Edit', { kind: 'write', target: 'src/a.ts' }, true],
    ['Edit(src)', 'Edit', { kind: 'write', target: 'src-evil/a.ts' }, false],
    ['Edit(./src/)', 'Edit', { kind: 'write', target: 'src/a.ts' }, true],
    ['Edit(.)', 'Edit', { kind: 'write', target: 'a.ts' }, true],
    ['Edit(.)', 'Edit', { kind: 'write', target: '../a.ts' }, false],
    ['Edit(!src/**)', 'Edit', { kind: 'write', target: 'lib/a.ts' }, false],
    ['Edit(app/\\[id\\]/page.ts)', 'Edit', { kind: 'write', target: 'app/[id]/page.ts' }, true],
    ['Edit(app/\\[id\\]/page.ts)', 'Edit', { kind: 'write', target: 'app/i/page.ts' }, false],
  ];

  test.each(table)('%s for %s %j: %s', (pattern, tool, access, covered) => {
    expect(matches(pattern, tool, access)).toBe(covered);
  });

  test('an ask or deny rule without a specifier applies everywhere', () => {
    expect(matches('Edit', 'Write', { kind: 'write', target: '/etc/passwd' }, 'restrict')).toBe(true);
  });
});

describe('a rule for MCP servers and addresses', () => {
  const table: [pattern: string, tool: string, covered: boolean][] = [
    ['mcp:github:list', 'github:list', true],
    ['mcp:github:list', 'mcp:github:list', true],
    ['mcp:github:list', 'github:lists', false],
    ['mcp:github:*', 'github:list', true],
    ['mcp:github', 'github:list', true],
    ['mcp:git', 'github:list', false],
    ['mcp:*', 'github:list', true],
    ['mcp:github:a:b', 'github:a:b', true],
    ['Bash', 'github:list', false],
  ];
  test.each(table)('%s and %s: %s', (pattern, tool, covered) =>
    expect(matches(pattern, tool, runs(tool))).toBe(covered),
  );

  const addresses: [pattern: string, url: string, covered: boolean][] = [
    ['WebFetch', 'https://a.org/x', true],
    ['WebFetch(domain:a.org)', 'https://a.org/x', true],
    ['WebFetch(domain:a.org)', 'https://docs.A.org', false],
    ['WebFetch(domain:*.a.org)', 'https://docs.A.org', true],
    ['WebFetch(domain:a.org)', 'https://evila.org', false],
    ['WebFetch(domain:a.org)', 'https://evil.org/a.org', false],
    ['WebFetch(domain:a.org)', 'https://a.org@evil.org/', false],
    ['WebFetch(domain:a.org)', 'not an IP address', false],
    ['WebFetch(https://a.org/x)', 'https://a.org/x', true],
    ['WebFetch(https://a.org/x)', 'https://a.org/xy', false],
  ];
  test.each(addresses)('%s and %s: %s', (pattern, target, covered) =>
    expect(matches(pattern, 'WebFetch', { kind: 'fetch', target })).toBe(covered),
  );
});

describe('an invalid rule', () => {
  test.each([
    '',
    '  ',
    'Bash(',
    'Bash)',
    'Bash()',
    'Bash( )',
    '(x)',
    'git log *',
    'mcp:',
    'mcp:a:',
    'Read(~root/x)',
    'Bash(a) b',
  ])('%j is an error with an example', (text) => {
    let error: unknown;
    try {
      parsePattern(text);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(UserError);
  });
});

test('deleting a folder also matches rules for paths below it', () => {
  const deletes = (pattern: string, target: string, intent: Intent) =>
    matches(pattern, 'Delete', { kind: 'write', target }, intent);
  expect([
    deletes('Edit(src/keep/**)', 'src', 'restrict'),
    deletes('Edit(/srv/app/src/keep.ts)', 'src', 'restrict'),
    deletes('Edit(src/keep/**)', 'srcs', 'restrict'),
    deletes('Edit(src/keep/**)', 'src', 'allow'),
    matches('Edit(src/keep/**)', 'Write', { kind: 'write', target: 'src' }, 'restrict'),
  ]).toEqual([true, true, false, false, false]);
});

test('deny rules for reading apply to the real path, whatever tool reads it', () => {
  const denies = readingDenier(['Read(private/**)', 'Read(/etc/*.key)', 'Bash(cat *)', 'Edit(src)'], { cwd });
  expect(
    ['/srv/app/private/a', '/srv/app/public', '/etc/x.key', '/etc/x', '/srv/app/src'].map(denies),
  ).toEqual([true, false, true, false, false]);
  expect(readingDenier(['Read'], { cwd })('/anything')).toBe(true);
  expect(readingDenier([], { cwd })('/anything')).toBe(false);
});
