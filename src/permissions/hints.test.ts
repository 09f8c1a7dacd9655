import fc from 'fast-check';
import { beforeAll, expect } from 'vitest';
import { flagsIn } from '../../test/support/allow-flags.ts';
import { plainPolicy } from '../../test/support/policy.ts';
import { sweep } from '../../test/support/soak.ts';
import type { Access, PermissionMode } from '../contract/permission.ts';
import { createGate } from './gate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const signal = new AbortController().signal;

/** Names that are hard to quote, or that a pattern would misread. */
const name = fc
  .array(
    fc.constantFrom(
      ...['a', 'B', '7', '.', '-', '_', ' ', "'", '"', '\\', '`', '$', '&', ';', '|', '#'],
      ...[
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '*',
        '?',
        '!',
        '+',
        '@',
        '~',
        ',',
        '=',
        '%',
        '^',
        ':',
        'é',
        '漢',
        '\n',
      ],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => !['.', '..'].includes(text));
const blanks = fc.stringMatching(/^[ \t\n\u00a0\u3000]{1,3}$/);
const file = fc
  .tuple(
    fc.constantFrom('', 'src/', '/srv/app/', '/etc/', '/srv/app-evil/', '../', '/', './', '~/'),
    fc.oneof({ weight: 9, arbitrary: name }, blanks),
  )
  .map(([folder, rest]) => folder + rest);
const command = fc.oneof(
  name,
  blanks,
  name.map((text) => `make ${text}`),
  name.map((text) => `cat '${text.replaceAll("'", "'\\''")}' > out`),
  file.map((text) => `cat ${text}`),
  fc.constantFrom(
    'npm test && git push',
    'FOO=1 make',
    'cat /etc/hosts',
    'echo "$(date)"',
    'ls\nmake',
    '  make  ',
  ),
);
const request = fc.oneof(
  file.map((target) => ({ tool: 'Read', access: { kind: 'read', target } as Access })),
  file.map((target) => ({ tool: 'Write', access: { kind: 'write', target } as Access })),
  file.map((target) => ({ tool: 'Delete', access: { kind: 'write', target, itself: true } as Access })),
  file.map((target) => ({ tool: 'Glob', access: { kind: 'read', target } as Access })),
  command.map((target) => ({ tool: 'Bash', access: { kind: 'execute', target } as Access })),
  name.map((text) => ({
    tool: 'WebFetch',
    access: { kind: 'fetch', target: `https://example.org/${encodeURIComponent(text)}` } as Access,
  })),
  fc.constant({ tool: 'github:search', access: { kind: 'execute', target: 'github:search' } as Access }),
);
const surroundings = fc.record({
  mode: fc.constantFrom<PermissionMode>('default', 'accept-edits', 'auto', 'plan', 'read-only'),
  sandbox: fc.constantFrom<Policy['sandbox']>(
    null,
    { kind: 'bubblewrap', level: 'standard', network: 'none' },
    { kind: 'host', level: 'standard', network: 'open' },
    { kind: 'host', level: 'standard', network: 'open', fallback: 'there is none here' },
  ),
  requireApprovalForReads: fc.boolean(),
});

sweep([200, 2000])('every rule that a refusal names would allow the same call (%i runs)', async (numRuns) => {
  let named = 0;
  await fc.assert(
    fc.asyncProperty(request, surroundings, async ({ tool, access }, around) => {
      const policy: Policy = { ...plainPolicy(cwd), home: '/home/me', ...around };
      const call = {
        ...{ callId: 'c', tool, operation: `${tool} it`, accesses: [access], because: '' },
        input: { of: access.target },
      };
      const refused = await createGate({ policy: () => policy }).decide(call, { signal });
      const allow = flagsIn(refused.because);
      if (refused.verdict === 'allow' || allow.length === 0) return;
      named += 1;
      const opened = { ...policy, rules: { ...policy.rules, allow } };
      const decision = await createGate({ policy: () => opened }).decide(call, { signal });
      expect([allow, decision.verdict]).toEqual([allow, 'allow']);
    }),
    { numRuns },
  );
  expect(named).toBeGreaterThan(numRuns / 4);
});
