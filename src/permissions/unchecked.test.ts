import { beforeAll, expect, test } from 'vitest';
import { plainPolicy } from '../../test/support/policy.ts';
import { sweepGroups } from '../../test/support/soak.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const contained = {
  sandbox: { kind: 'bubblewrap', level: 'standard', network: 'none' },
  requireApprovalForCommands: false,
  trusted: true,
} as const;
const everything = { allow: ['Bash', 'Bash(*)'], ask: [], deny: [] };
const grants: Policy['grants'] = [
  {
    type: 'execute',
    pattern: 'Bash',
    action: 'allow',
    scope: 'session',
    grantedAt: '2026-01-01T00:00:00.000Z',
  },
];

function judge(target: string, policy: Partial<Policy>) {
  const request = { tool: 'Bash', accesses: [{ kind: 'execute' as const, target }], input: {} };
  return evaluate(request, { ...plainPolicy('/srv/app'), ...policy });
}

const nested = (times: number, around: (inner: string) => string) => {
  let line = 'rm -rf ~';
  for (let i = 0; i < times; i++) line = around(line);
  return line;
};

const hidden: [name: string, line: string][] = [
  ['behind a long word', `echo ${'a'.repeat(25_000)}; rm -rf ~`],
  ['behind a long string', `echo '${'a '.repeat(15_000)}'; rm -rf ~`],
  ['behind many commands', `${Array.from({ length: 1200 }, (_, i) => `echo ${i}`).join('\n')}\nrm -rf ~`],
  ['behind many groups', `${Array.from({ length: 499 }, (_, i) => `(cd ${i}; true)`).join('; ')}; rm -rf ~`],
  ['behind a long here-document that expands', `cat <<E\n${'$x text\n'.repeat(3000)}E\nrm -rf ~`],
  ['in a long script for a shell', `bash <<'E'\n${'echo text\n'.repeat(2500)}rm -rf ~\nE`],
  ['in many shells', nested(12, (inner) => `bash -c ${JSON.stringify(inner)}`)],
  ['behind many evals', `${'eval '.repeat(40)}rm -rf ~`],
  ['in many substitutions', nested(40, (inner) => `echo $(${inner})`)],
];

sweepGroups<[string, Partial<Policy>]>([
  ['a rule for every command', { rules: everything }],
  ['a grant for every command', { grants }],
  ['a sandbox', contained],
  ['a sandbox and a rule', { ...contained, rules: everything }],
  ['accept-edits', { ...contained, mode: 'accept-edits' }],
])('with %s, what there was no room to check is never allowed', (_policy, policy) => {
  test.each(hidden)('%s', (_name, line) => expect(judge(line, policy).verdict).not.toBe('allow'));
});

test('a command that writes a long file is checked like any other', () => {
  const file = 'a line of text; with | operators & more\n'.repeat(2500);
  const line = `cat > notes.txt <<'E'\n${file}E\n`;
  expect(judge(line, { rules: everything }).verdict).toBe('allow');
  expect(judge(line, contained).verdict).toBe('allow');
  expect(judge(`${line}rm -rf ~`, { rules: everything }).verdict).toBe('deny');
});
