import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainPolicy, toolsByKind } from '../../test/support/policy.ts';
import { sweep } from '../../test/support/soak.ts';
import type { Access, Permission } from '../contract/permission.ts';
import { evaluate } from './evaluate.ts';
import { createGate } from './gate.ts';
import { grantedAlways, grantFor } from './granted.ts';
import type { Policy } from './policy.ts';
import { offersFor } from './question.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const policy: Policy = { ...plainPolicy(cwd), requireApprovalForReads: true };

function granted(access: Access, by: Policy = policy): Permission[] {
  const pattern = grantFor(toolsByKind[access.kind], access, by);
  if (pattern === null) return [];
  return [{ type: access.kind, pattern, action: 'allow', scope: 'session', grantedAt: '2026-01-01' }];
}

function allowed(access: Access, grants: Permission[], by: Policy = policy): boolean {
  const call = { tool: toolsByKind[access.kind], accesses: [access], input: {} };
  return evaluate(call, { ...by, grants }).verdict === 'allow';
}

const runs = (target: string): Access => ({ kind: 'execute', target });
const writes = (target: string): Access => ({ kind: 'write', target });

describe('a remembered yes covers exactly what was shown', () => {
  const word = fc.constantFrom(
    'make',
    'python3',
    'sh',
    'git',
    'push',
    '*',
    '-c',
    'x',
    '|',
    ';',
    '&&',
    '"a b"',
    '\\',
  );
  const line = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));

  sweep([100, 1000])('for commands: exactly this line (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(line, line, (seen, other) => {
        const grants = granted(runs(seen));
        const free = allowed(runs(other), []);
        expect(allowed(runs(other), grants)).toBe(free || (other.trim() === seen.trim() && !isDenied(other)));
      }),
      { numRuns },
    );
  });
  const isDenied = (target: string) =>
    evaluate({ tool: 'Bash', accesses: [runs(target)], input: {} }, policy).verdict === 'deny';

  test('an interpreter that was granted alone may not be fed by another command', () => {
    for (const line of [
      'cat evil | python3',
      'python3 < evil',
      'python3 -c x',
      'python3; python3',
      'x=1 python3',
    ])
      expect(allowed(runs(line), granted(runs('python3')))).toBe(false);
    expect(allowed(runs(' python3 '), granted(runs('python3')))).toBe(true);
  });

  sweep([100, 1000])(
    'for files: this file, not the contents of a folder of that name (%i runs)',
    (numRuns) => {
      const segment = fc.constantFrom('a', 'b', '*', '**', '[a]', '{a,b}', 'a.ts', '..');
      const file = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
      fc.assert(
        fc.property(file, file, (seen, other) => {
          const same = path.posix.resolve(cwd, seen) === path.posix.resolve(cwd, other);
          expect(allowed(writes(other), granted(writes(seen)))).toBe(same);
        }),
        { numRuns },
      );
      expect(allowed(writes('dist/a'), granted(writes('dist')))).toBe(false);
    },
  );

  test('for links: their target at the time of asking', () => {
    const leading = (target: string): Policy => ({
      ...policy,
      realOf: (file) => (file === `${cwd}/link` ? target : file),
    });
    const grants = granted(writes('link'), leading(`${cwd}/notes`));
    expect(grants).toMatchObject([{ pattern: 'Edit(notes)' }]);
    expect(allowed(writes('link'), grants, leading(`${cwd}/notes`))).toBe(true);
    expect(allowed(writes('link'), grants, leading(`${cwd}/src/main.ts`))).toBe(false);
  });

  describe('for addresses: this one', () => {
    const fetches = (target: string): Access => ({ kind: 'fetch', target });
    const others = [
      ...['https://a.org/x', 'https://a.org/*', 'https://a.org/x?y', 'https://a.org/x/', 'https://a.org/x/y'],
      ...[
        'https://a.org/X',
        'http://a.org/x',
        'https://a.org:8443/x',
        'https://me@a.org/x',
        'https://a.org/',
      ],
      ...[
        'https://a.org.evil.com/x',
        'https://evil.com/?https://a.org/x',
        'https://b.a.org/x',
        'https://a.org/?',
      ],
      ...[
        'https://*.org/x',
        'https://a.org/x#y',
        'https://a.org/[x]',
        'https://a.org/x)',
        'https://a.org/(x',
      ],
    ];
    test.each(others)('%s', (shown) => {
      const grants = granted(fetches(shown));
      expect(others.filter((other) => allowed(fetches(other), grants))).toEqual([shown]);
    });
  });

  describe('for searches: all of them, or those of this domain', () => {
    const searches = (domain?: string): Access => ({
      kind: 'search',
      target: 'words',
      ...(domain !== undefined && { domain }),
    });
    const domains = ['a.org', 'b.a.org', 'a.org.evil.com', 'xa.org', '*', '*.org', 'org'];
    test.each(domains)('%s', (shown) => {
      const grants = granted(searches(shown));
      expect(domains.filter((other) => allowed(searches(other), grants))).toEqual([shown]);
      expect(allowed(searches(), grants)).toBe(false);
    });
  });

  test.each(['github:push', 'mcp:github:push', 'a:b'])(
    'for no tool of a server, not even of one that was allowed: %s',
    (tool) => {
      const offers = offersFor({ tool, accesses: [{ ...runs(tool), server: true }], input: {} }, policy);
      expect(offers).toEqual([]);
    },
  );

  test('for nothing that a hook allows: it is asked about again', async () => {
    const kept: Permission[] = [];
    const gate = createGate({ policy: () => policy, onGrant: (grant) => void kept.push(grant) });
    const call = { callId: '1', tool: 'Bash', operation: 'Bash make', because: '', input: {} };
    const request = { ...call, accesses: [runs('make')] };
    const options = { signal: new AbortController().signal };
    const hook = { verdict: 'allow' as const, because: 'fine' };
    expect((await gate.decide({ ...request, hook }, options)).verdict).toBe('allow');
    expect((await gate.decide(request, options)).verdict).toBe('deny');
    expect([kept, gate.grants()]).toEqual([[], []]);
  });

  test('not for MCP tools, a command outside the sandbox, or no access at all', () => {
    expect([
      grantFor('github:push', runs('github:push'), policy),
      grantFor('Bash', { ...runs('make'), unconfined: true }, policy),
      grantFor('Bash', runs('  '), policy),
    ]).toEqual([null, null, null]);
  });
});

test('[P06][Y10] "always" answers in the settings count as grants', () => {
  expect(grantedAlways({ 'Bash(make)': '2026-01-01', 'Read(/etc/hosts)': '2026-01-02' })).toEqual([
    { type: 'execute', pattern: 'Bash(make)', action: 'allow', scope: 'always', grantedAt: '2026-01-01' },
    { type: 'read', pattern: 'Read(/etc/hosts)', action: 'allow', scope: 'always', grantedAt: '2026-01-02' },
  ]);
  expect(allowed(writes('a b'), grantedAlways({ 'Edit(a b)': '' }))).toBe(true);
  expect(
    allowed({ kind: 'fetch', target: 'https://a.org' }, grantedAlways({ 'WebFetch(https://a.org)': '' })),
  ).toBe(true);
});
