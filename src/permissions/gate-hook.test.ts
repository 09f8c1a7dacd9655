import { expect, test } from 'vitest';
import { plainPolicy } from '../../test/support/policy.ts';
import type { PermissionRequest } from '../contract/permission.ts';
import { createGate } from './gate.ts';

const byHook: [
  what: string,
  target: string,
  hook: 'allow' | 'ask' | null,
  said: 'allow' | 'deny' | null,
  by: string,
][] = [
  ['answers for the user', 'a.ts', null, 'allow', 'hook PermissionRequest'],
  ['denies for the user', 'a.ts', null, 'deny', 'hook PermissionRequest'],
  ['without an answer leaves it to the user', 'a.ts', null, null, 'user'],
  ['cannot allow what no rule could', '.git/hooks/pre-commit', null, 'allow', 'user'],
  ['cannot allow what another hook wants asked', 'a.ts', 'ask', 'allow', 'user'],
];
test.each(byHook)('a hook that is told of the question %s (%s)', async (_, target, hook, said, by) => {
  const questions: PermissionRequest[] = [];
  const approver = async (request: PermissionRequest) => {
    questions.push(request);
    return { choice: 'once' as const };
  };
  const gate = createGate({ policy: () => plainPolicy('/srv/app'), approver });
  const accesses = [{ kind: 'write' as const, target }];
  const call = { callId: '1', tool: 'Edit', operation: `Edit ${target}`, accesses, because: '', input: {} };
  const { signal } = new AbortController();
  const request = { ...call, ...(hook && { hook: { verdict: hook, because: 'so' } }) };
  const answerByHook = async () => said && { verdict: said, because: 'so' };
  const decision = await gate.decide(request, { signal, answerByHook });
  expect(decision).toMatchObject({ by, verdict: said === 'deny' ? 'deny' : 'allow' });
  expect(questions).toHaveLength(by === 'user' ? 1 : 0);
});
