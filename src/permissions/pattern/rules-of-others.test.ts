import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../contract/permission.ts';
import { evaluate } from '../evaluate.ts';
import { matchesAccess, parseGrant, parsePattern, readingDenier, restrictsCall } from '../pattern.ts';
import type { Policy } from '../policy.ts';
import { loadGrammar } from '../shell/grammar.ts';
import { suggestPattern } from '../suggest.ts';
import { type PlacedRule, ruleProblem } from './rule-problem.ts';
import { ruleNames } from './tool-names.ts';

beforeAll(loadGrammar);

const place = { cwd: '/srv/app/web', root: '/srv/app', home: '/home/ann' };
const isInside = (file: string) => `${path.resolve(file)}/`.startsWith(`${place.cwd}/`);

/** Whether the rule covers the access as an allow rule, and whether it does as an ask or deny rule. */
function both(rule: string, tool: string, access: Access): [allows: boolean, restricts: boolean] {
  const subject = { tool, access, ...place, isInside };
  const pattern = parsePattern(rule);
  return [matchesAccess(pattern, subject, 'allow'), matchesAccess(pattern, subject, 'restrict')];
}
const runs = (target: string): Access => ({ kind: 'execute', target });
const reads = (target: string): Access => ({ kind: 'read', target });
const writes = (target: string): Access => ({ kind: 'write', target });

type Row = [rule: string, target: string, allows: boolean, restricts: boolean];

describe('a rule for commands as Claude Code writes it', () => {
  const table: Row[] = [
    ['Bash(git log:*)', 'git log', true, true],
    ['Bash(git log:*)', 'git log --oneline -5', true, true],
    ['Bash(git log:*)', 'git logs', false, false],
    ['Bash(git log:*)', 'git log:x', false, true],
    ['Bash(git log:*)', 'git log && git log -1', true, true],
    ['Bash(git log:*)', 'git log; rm x', false, true],
    ['Bash(git log:*)', 'git log $(rm x)', false, true],
    ['Bash(git log:*)', 'git status', false, false],
    ['Bash(npm run test:*)', 'npm run test', true, true],
    ['Bash(npm run test:*)', 'npm run test -- -u', true, true],
    ['Bash(npm run test:*)', 'npm run test:unit', false, true],
    ['Bash(npm run test)', 'npm run test', true, true],
    ['Bash(npm run test)', 'npm run test -u', false, false],
    ['Bash(rm:*)', 'rm -rf x', true, true],
    ['Bash(rm:*)', 'rm', true, true],
    ['Bash(rm:*)', 'rmdir x', false, false],
    ['Bash(rm:*)', '/bin/rm x', false, true],
    ['Bash(rm:*)', 'ls && env rm x', false, true],
    ['Bash(curl https://a.org/:*)', 'curl https://a.org/x', false, true],
    ['Bash(curl https://a.org/:*)', 'curl https://b.org/x', false, false],
    ['Bash(ls*)', 'ls -la', false, true],
    ['Bash(ls*)', 'lsof', false, true],
    ['Bash(git * main)', 'git push -f origin main', false, true],
    ['Bash(git * main)', 'git checkout main', true, true],
    ['Bash(* --force)', 'git push --force', false, true],
    ['Bash(*secret*)', 'cat my secret file', false, true],
    ['Bash(git push*--force*)', 'git push origin --force-with-lease', false, true],
    ['Bash(a && *)', 'a && b', false, true],
    ['Bash(:*)', 'anything | at all', true, true],
    ['Bash(*)', 'anything at all', true, true],
    ['Bash', 'a; b', true, true],
    ['Read(x)', 'cat y', false, false],
    ['mcp__a__b', 'ls', false, false],
    ['*', 'ls', false, true],
    ['B*', 'ls', false, true],
  ];
  test.each(table)('%s and %j: allow %s, restrict %s', (rule, line, ...expected) => {
    expect(both(rule, 'Bash', runs(line))).toEqual(expected);
  });
});

describe('a rule for paths as Claude Code writes it', () => {
  const table: Row[] = [
    ['Read(~/x)', '/home/ann/x', true, true],
    ['Read(~/x)', '/home/ann/x/y', true, true],
    ['Read(~/x)', '/home/bob/x', false, false],
    ['Read(~/.zshrc)', '/home/ann/.zshrc', true, true],
    ['Read(~/docs/*.pdf)', '/home/ann/docs/a.pdf', true, true],
    ['Read(~/docs/*.pdf)', '/home/ann/docs/x/a.pdf', false, false],
    ['Read(~/docs/**)', '/home/ann/docs/x/a.pdf', true, true],
    ['Read(~)', '/home/ann/a', true, true],
    ['Read(//etc/hosts)', '/etc/hosts', true, true],
    ['Read(//data/**)', '/data/a/b', true, true],
    ['Read(//data/**)', '/srv/app/data/a', false, false],
    // One slash: the root of the project. A restricting rule also means the root of the disk.
    ['Read(/src/**)', '/srv/app/src/a.ts', true, true],
    ['Read(/src/**)', '/srv/app/web/src/a.ts', false, true],
    ['Read(/src/**)', '/src/a.ts', false, true],
    ['Read(/src/**)', 'src/a.ts', false, true],
    ['Read(/src/**)', '../src/a.ts', true, true],
    ['Read(/src/**)', '/srv/app/lib/a.ts', false, false],
    ['Read(/.env)', '/srv/app/.env', true, true],
    // Unless every machine has that folder, or it is the project's or the user's.
    ['Read(/etc/hosts)', '/etc/hosts', true, true],
    ['Read(/etc/hosts)', '/srv/app/etc/hosts', false, true],
    ['Read(/home/ann/x)', '/home/ann/x', true, true],
    ['Read(/srv/app/web/a)', '/srv/app/web/a', true, true],
    // Relative to the working directory.
    ['Read(./x)', 'x', true, true],
    ['Read(./x)', 'sub/x', false, false],
    ['Read(./x)', '/srv/app/x', false, false],
    ['Read(src/**)', 'src/a.ts', true, true],
    ['Read(src/**)', 'lib/src/a.ts', false, false],
    ['Read(../shared/**)', '/srv/app/shared/a', true, true],
    // A bare name, as in .gitignore.
    ['Read(.env)', '.env', true, true],
    ['Read(.env)', 'deep/in/.env', false, true],
    ['Read(.env)', '/srv/app/.env', false, false],
    ['Read(*.key)', 'a.key', true, true],
    ['Read(*.key)', 'deep/a.key', false, true],
    ['Read(secrets/)', 'deep/secrets/a', false, true],
    ['Read(build*)', 'build-1/a.js', false, true],
    ['Read(src/*)', 'src/a/b.ts', false, true],
    ['Read(.env:*)', '.env.local', false, true],
    ['Read(.env:*)', 'deep/.env', false, true],
    ['Read(**/.env)', 'deep/.env', true, true],
    ['Read(**/.env)', '../.env', false, false],
  ];
  test.each(table)('%s and %s: allow %s, restrict %s', (rule, target, ...expected) => {
    expect(both(rule, 'Read', reads(target))).toEqual(expected);
    expect(both(rule.replace('Read', 'Edit'), 'Write', writes(target))).toEqual(expected);
    const absolute = path.resolve(place.cwd, target);
    expect(readingDenier([rule], place)(absolute)).toBe(expected[1]);
  });

  const tools: [rule: string, tool: string, access: Access, allows: boolean, restricts: boolean][] = [
    ...['Edit', 'Write', 'MultiEdit', 'Delete'].map((tool): (typeof tools)[number] => [
      'Edit(/src/**)',
      tool,
      writes('/srv/app/src/a.ts'),
      true,
      true,
    ]),
    ['Edit(/src/**)', 'Read', reads('/srv/app/src/a.ts'), false, false],
    ...['Read', 'Glob', 'Grep', 'List', 'Search'].map((tool): (typeof tools)[number] => [
      'Read(/src/**)',
      tool,
      reads('/srv/app/src'),
      true,
      true,
    ]),
    ['LS', 'List', reads('a'), true, true],
    ['LS(src)', 'List', reads('src'), true, true],
    ['LS', 'Read', reads('a'), false, false],
    ['Glob', 'Glob', reads('a'), true, true],
    ['Grep', 'Grep', reads('a'), true, true],
    ['Grep', 'Glob', reads('a'), false, false],
    ['NotebookRead', 'Read', reads('a.ipynb'), true, true],
    ['NotebookEdit', 'Write', writes('a.ipynb'), true, true],
    ['NotebookEdit', 'Edit', writes('a.ts'), false, false],
    ['NotebookEdit(notes/**)', 'Edit', writes('notes/a.ipynb'), true, true],
    ['NotebookEdit(notes/**)', 'Edit', writes('other/a.ipynb'), false, false],
    ['*', 'Write', writes('a'), false, true],
  ];
  test.each(tools)('%s for %s %j: allow %s, restrict %s', (rule, tool, access, ...expected) => {
    expect(both(rule, tool, access)).toEqual(expected);
  });

  test('a suggested rule covers the path it was suggested for, wherever that is', () => {
    const segment = fc.stringMatching(/^[a-z~.][a-z*[\]~ ]{0,4}$/).filter((name) => !/^\.+$/.test(name));
    const file = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`);
    fc.assert(
      fc.property(
        fc.oneof(file, fc.constantFrom('/src/a', '/etc/x', '/srv/app/a', '/srv/app/web/b')),
        (target) => {
          const rule = suggestPattern('Read', reads(target), place.cwd);
          expect(both(rule, 'Read', reads(target))).toEqual([true, true]);
        },
      ),
    );
  });

  test('an answer remembered with one slash is still absolute', () => {
    const subject = { tool: 'Read', access: reads('/data/a'), ...place, isInside };
    expect(matchesAccess(parseGrant('Read(/data/**)'), subject, 'allow')).toBe(true);
    expect(matchesAccess(parsePattern('Read(/data/**)'), subject, 'allow')).toBe(false);
  });
});

describe('a rule for MCP tools as Claude Code writes it', () => {
  const table: Row[] = [
    ['mcp__github__list', 'github:list', true, true],
    ['mcp__github__list', 'mcp:github:list', true, true],
    ['mcp__github__list', 'github:lists', false, false],
    ['mcp__github__list', 'github:list__all', false, true],
    ['mcp__github', 'github:list', true, true],
    ['mcp__github__', 'github:list', true, true],
    ['mcp__github__*', 'github:list', true, true],
    ['mcp__github__get_*', 'github:get_issue', true, true],
    ['mcp__github__get_*', 'github:list', false, false],
    ['mcp__git', 'github:list', false, false],
    ['mcp__git*', 'github:list', false, true],
    ['mcp__*', 'github:list', false, true],
    ['mcp__*__delete', 'github:delete', false, true],
    ['mcp__my_server__do_it', 'my.server:do it', true, true],
    ['mcp__a__b__c', 'a:b__c', true, true],
    ['mcp__a__b__c', 'a__b:c', true, true],
    ['mcp__github__list(x)', 'github:list', false, true],
    ['mcp:github:list', 'github:list', true, true],
    ['mcp:*', 'github:list', true, true],
    ['*', 'github:list', false, true],
    ['Bash', 'github:list', false, false],
  ];
  test.each(table)('%s and %s: allow %s, restrict %s', (rule, tool, ...expected) => {
    expect(both(rule, tool, runs(tool))).toEqual(expected);
  });
});

describe('a rule for addresses as Claude Code writes it', () => {
  const table: Row[] = [
    ['WebFetch(domain:a.org)', 'https://a.org/x', true, true],
    ['WebFetch(domain:A.org)', 'https://a.org/x', true, true],
    ['WebFetch(domain:a.org)', 'https://docs.a.org/x', false, true],
    ['WebFetch(domain:a.org)', 'https://a.org./x', false, true],
    ['WebFetch(domain:a.org)', 'https://a.org:8443/x', true, true],
    ['WebFetch(domain:a.org)', 'https://evila.org', false, false],
    ['WebFetch(domain:a.org)', 'https://a.org@evil.org/', false, false],
    ['WebFetch(domain:*.a.org)', 'https://docs.a.org', true, true],
    ['WebFetch(domain:*.a.org)', 'https://a.org', false, false],
    ['WebFetch(domain:*)', 'https://a.org', true, true],
    ['WebFetch(domain:localhost:3000)', 'http://localhost:3000/', true, true],
    ['WebFetch(domain:localhost:3000)', 'http://localhost:4000/', false, true],
    ['WebFetch(domain:https://a.org/x)', 'https://a.org/y', false, true],
    ['WebFetch(a.org)', 'https://a.org/y', false, true],
    ['WebFetch(a.org)', 'https://docs.a.org/y', false, true],
    ['WebFetch(https://a.org/*)', 'https://a.org/y', false, true],
    ['WebFetch(https://a.org/x)', 'https://a.org/x', true, true],
    ['WebFetch(https://a.org/x)', 'https://a.org/y', false, false],
    ['WebFetch', 'https://a.org', true, true],
  ];
  test.each(table)('%s and %s: allow %s, restrict %s', (rule, target, ...expected) => {
    expect(both(rule, 'WebFetch', { kind: 'fetch', target })).toEqual(expected);
  });
});

describe('a rule for subagents, skills and tools that touch nothing', () => {
  const agents: [rule: string, tool: string, agent: string, restricts: boolean][] = [
    ['Task', 'Task', 'general', true],
    ['Agent', 'Task', 'reviewer', true],
    ['Task(reviewer)', 'Task', 'reviewer', true],
    ['Agent(reviewer)', 'Task', 'reviewer', true],
    ['Agent(reviewer)', 'Task', 'general', false],
    ['Agent(Explore)', 'Explore', 'explore', true],
    ['Task(Explore)', 'Task', 'general', false],
    ['Agent(general-purpose)', 'Task', 'general', true],
    ['Agent(review*)', 'Task', 'reviewer', true],
    ['Explore', 'Explore', 'explore', true],
  ];
  test.each(agents)('%s for %s %s: %s', (rule, tool, target, restricts) => {
    expect(both(rule, tool, { kind: 'delegate', target })[1]).toBe(restricts);
  });

  const calls: [rule: string, tool: string, input: unknown, restricts: boolean][] = [
    ['TodoWrite', 'Todo', {}, true],
    ['Todo', 'Todo', {}, true],
    ['TodoWrite(x)', 'Todo', {}, true],
    ['AskUserQuestion', 'AskUser', {}, true],
    ['KillBash', 'KillShell', {}, true],
    ['ExitPlanMode', 'PresentPlan', {}, true],
    ['TaskOutput', 'BashOutput', {}, true],
    ['Skill', 'Skill', { name: 'pdf' }, true],
    ['Skill(pdf)', 'Skill', { name: 'PDF ' }, true],
    ['Skill(pdf *)', 'Skill', { name: 'pdf' }, true],
    ['Skill(pdf:*)', 'Skill', { name: 'pdf' }, true],
    ['Skill(pdf)', 'Skill', { name: 'docx' }, false],
    ['Skill(office-*)', 'Skill', { name: 'office-pdf' }, true],
    ['SlashCommand(/pdf)', 'Skill', { name: 'pdf' }, true],
    ['SlashCommand(/pdf:*)', 'Skill', { name: 'pdf' }, true],
    ['SlashCommand', 'Skill', { name: 'pdf' }, true],
    ['*', 'Todo', {}, true],
    ['Bash', 'Todo', {}, false],
  ];
  test.each(calls)('%s for %s %j: %s', (rule, tool, input, restricts) => {
    expect(restrictsCall(parsePattern(rule), tool, input)).toBe(restricts);
    const policy = (rules: Partial<Policy['rules']>): Policy => ({
      mode: 'auto',
      ...place,
      rules: { allow: [], ask: [], deny: [], ...rules },
      grants: [],
      requireApprovalForWrites: true,
      requireApprovalForCommands: true,
      blockedCommands: [],
      trusted: true,
      sandbox: null,
      sandboxRequired: false,
      sandboxAutoApprove: false,
      isInside,
      realOf: (file) => file,
      reach: (real) => ({ type: 'open', real }),
    });
    const verdict = (rules: Partial<Policy['rules']>, mode: Policy['mode']) =>
      evaluate({ tool, accesses: [], input }, { ...policy(rules), mode }).verdict;
    expect(verdict({ deny: [rule], allow: [tool] }, 'default')).toBe(restricts ? 'deny' : 'allow');
    expect(verdict({ ask: [rule], allow: [tool] }, 'default')).toBe(restricts ? 'ask' : 'allow');
    expect(verdict({ ask: [rule] }, 'auto')).toBe(restricts ? 'deny' : 'allow');
  });
});

describe('a rule that cannot do what it says', () => {
  const world = {
    ...place,
    servers: ['github', 'my.server'],
    exists: (file: string) => ['/data', '/work', '/srv/app/src'].includes(file),
  };
  const problem = (verdict: PlacedRule['verdict'], rule: string) =>
    ruleProblem({ verdict, rule, place: 'config.json:3:7' }, world)?.text ?? null;

  const table: [verdict: PlacedRule['verdict'], rule: string, part: string][] = [
    ['deny', 'Bsh(rm *)', 'names no known tool and denies nothing. Did you mean Bash(rm *)?'],
    ['ask', 'bash', 'names no known tool and asks about nothing. Did you mean Bash?'],
    ['allow', 'webfetch(domain:a.org)', 'Did you mean WebFetch(domain:a.org)?'],
    ['allow', 'Frobnicate', 'Known tools: Read, Edit,'],
    ['allow', 'WebSearch(node streams)', 'never applies: rules for WebSearch name a domain.'],
    [
      'deny',
      'WebSearch(a.org)',
      'is read as a domain: rules for WebSearch name a domain. Write WebSearch(domain:a.org)',
    ],
    ['allow', 'WebSearch(domain:a.org/x)', 'Write WebSearch(domain:a.org), or WebSearch for all searches.'],
    ['allow', 'EnterPlanMode', 'has no effect'],
    ['deny', 'PowerShell(rm *)', 'Rules for Bash apply to every shell.'],
    ['allow', 'mcp__*', 'never applies: it must name the server'],
    ['allow', 'mcp__git*', 'never applies: it must name the server'],
    ['allow', 'mcp__github__list(x)', 'Write mcp__github__list.'],
    ['deny', 'mcp__github__list(x)', 'applies to all of mcp__github__list'],
    ['deny', 'mcp__gihtub__list', 'Did you mean mcp__github__list?'],
    ['deny', 'mcp:gihtub:list', 'Did you mean mcp:github:list?'],
    ['allow', '*', 'never applies: it must name a tool'],
    ['allow', 'Todo(x)', 'never applies: Todo takes no parentheses. Write Todo.'],
    ['deny', 'TodoWrite(x)', 'applies to every call: TodoWrite takes no parentheses'],
    ['deny', 'Bash(git:* push)', ':* works only at the end. Write Bash(git * push).'],
    ['allow', 'Bash(ls*)', 'Write Bash(ls *).'],
    ['allow', 'Bash(cd a && npm *)', 'Write a rule for each command'],
    ['deny', 'Bash(command:rm *)', 'cannot name the input command. Write Bash(rm *).'],
    ['deny', 'Read(file_path:/x)', 'Write Read(/x).'],
    ['deny', 'WebFetch(url:https://a.org/x)', 'Write WebFetch(domain:a.org).'],
    ['deny', 'Agent(model:opus)', 'cannot name the input model'],
    ['deny', 'Read(.env:*)', 'Write Read(.env*).'],
    ['allow', 'Read(.env:*)', 'never applies'],
    ['deny', 'Edit(!src/**)', 'restricts nothing: rules cannot exclude paths'],
    ['allow', 'WebFetch(a.org)', 'never applies: it is not an address. Write WebFetch(domain:a.org).'],
    ['deny', 'WebFetch(a.org)', 'is read as a domain. Write WebFetch(domain:a.org).'],
    ['allow', 'WebFetch(https://a.org/*)', 'Write WebFetch(domain:a.org).'],
    ['deny', 'WebFetch(domain:https://a.org/x)', 'Write WebFetch(domain:a.org).'],
    ['deny', 'WebFetch(domain:)', 'names no domain'],
    ['allow', 'Read(/data/**)', 'Write Read(//data/**) for an absolute path.'],
  ];
  test.each(table)('%s %s: %s', (verdict, rule, part) => {
    const text = problem(verdict, rule) ?? '';
    expect(text).toContain(part);
    expect(text).toMatch(new RegExp(`^config\\.json:3:7: the ${verdict} rule `));
  });

  test.each([
    ...['Bash(git log:*)', 'Bash(npm run test)', 'Bash', 'Bash(*)', 'Bash(git * main)', 'Bash(echo a:b)'],
    ...['mcp__github__list', 'mcp__github', 'mcp__github__*', 'mcp__unrelated__x', 'mcp:github:*', 'mcp:*'],
    ...['Read(~/x)', 'Read(//abs/path)', 'Read(/src/**)', 'Read(./x)', 'Edit(/src/**)', 'Read(/etc/hosts)'],
    ...['WebFetch(domain:a.org)', 'WebFetch(domain:*.a.org)', 'WebFetch(domain:localhost:3000)'],
    ...[
      'WebFetch(https://a.org/x)',
      'Task(reviewer)',
      'Agent(Explore)',
      'Skill(pdf *)',
      'SlashCommand(/x:*)',
    ],
    ...ruleNames,
  ])('%s is fine', (rule) => {
    expect((['allow', 'ask', 'deny'] as const).map((verdict) => problem(verdict, rule))).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('what restricts everything may have wildcards', () => {
    expect(['*', 'mcp__*', 'Bash(ls*)'].map((rule) => problem('deny', rule))).toEqual([null, null, null]);
  });
});
