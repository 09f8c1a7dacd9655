import { expect, test } from 'vitest';
import type { Access, Answer, Permission, PermissionRequest } from '../contract/permission.ts';
import type { Policy } from './evaluate.ts';
import { createGate } from './gate.ts';

const cwd = '/srv/app';
const policy: Policy = {
  mode: 'default',
  cwd,
  rules: { allow: [], ask: [], deny: [] },
  grants: [],
  requireApprovalForWrites: true,
  requireApprovalForCommands: true,
  blockedCommands: [],
  trusted: false,
  isInside: (file) => file === cwd || file.startsWith(`${cwd}/`),
};
const signal = new AbortController().signal;

let calls = 0;
function call(tool: string, access: Access, input: unknown = { of: access.target }) {
  calls += 1;
  const operation = `${tool} ${access.target}`;
  return { callId: `call-${calls}`, tool, operation, accesses: [access], because: '', input };
}
const bash = (target: string) => call('Bash', { kind: 'execute', target });
const edit = (target: string) => call('Edit', { kind: 'write', target });

/** A person with prepared answers, who notes every question. */
function person(...answers: Answer[]) {
  const questions: PermissionRequest[] = [];
  const approver = async (request: PermissionRequest): Promise<Answer> => {
    questions.push(request);
    return answers[questions.length - 1] ?? { choice: 'no', reason: 'no more answers' };
  };
  return { questions, approver };
}

test('what is free is not asked about, and what is forbidden is not either', async () => {
  const { questions, approver } = person();
  const gate = createGate({ policy: () => policy, approver });

  expect(await gate.decide(bash('ls'), { signal })).toEqual({
    verdict: 'allow',
    by: 'default',
    because: 'it only reads',
  });
  expect(await gate.decide(bash('sudo ls'), { signal })).toEqual({
    verdict: 'deny',
    by: 'built-in privileges',
    because: "Command is blocked: it would run with another user's rights",
  });
  expect(questions).toEqual([]);
});

test('[P03][C05] the question says what will happen and why, without the raw input', async () => {
  const { questions, approver } = person({ choice: 'once' });
  const gate = createGate({ policy: () => policy, approver });
  const request = edit('a.ts');
  const beforeAsking = async (question: PermissionRequest): Promise<PermissionRequest> => ({
    ...question,
    preview: { kind: 'text', text: 'the diff' },
  });

  const decision = await gate.decide(request, { signal, beforeAsking });

  expect(decision).toEqual({ verdict: 'allow', by: 'user', because: 'the user allowed it (once)' });
  expect(questions).toEqual([
    {
      callId: request.callId,
      tool: 'Edit',
      operation: 'Edit a.ts',
      accesses: [{ kind: 'write', target: 'a.ts' }],
      because: 'it changes a file',
      preview: { kind: 'text', text: 'the diff' },
    },
  ]);
});

test('[P04][Y09] a no is remembered for the identical request and for no other', async () => {
  const { questions, approver } = person({ choice: 'no' }, { choice: 'once' }, { choice: 'once' });
  const gate = createGate({ policy: () => policy, approver });
  const denied = { verdict: 'deny', by: 'user', because: 'User denied permission' };

  expect(await gate.decide(bash('make'), { signal })).toEqual(denied);
  expect(await gate.decide(bash('make'), { signal })).toEqual(denied);
  expect(questions.length).toBe(1);
  expect((await gate.decide(bash('make all'), { signal })).verdict).toBe('allow');

  gate.forget();
  expect((await gate.decide(bash('make'), { signal })).verdict).toBe('allow');
  expect(questions.length).toBe(3);
});

test('a no with a reason tells the model why', async () => {
  const { approver } = person({ choice: 'no', reason: ' use npm ' });
  const gate = createGate({ policy: () => policy, approver });

  expect(await gate.decide(bash('yarn'), { signal })).toEqual({
    verdict: 'deny',
    by: 'user',
    because: 'User denied permission: use npm',
    reason: 'use npm',
  });
});

test('[P06][P11] a yes for the session is kept for exactly what was seen, and told', async () => {
  const told: Permission[] = [];
  const { questions, approver } = person({ choice: 'session' }, { choice: 'always' }, { choice: 'no' });
  const gate = createGate({
    policy: () => policy,
    approver,
    onGrant: (permission) => void told.push(permission),
  });

  await gate.decide(bash('rm *.log'), { signal });
  await gate.decide(edit('docs/[a].md'), { signal });
  expect((await gate.decide(bash('rm *.log'), { signal })).by).toBe('grant Bash(rm \\*.log)');
  expect((await gate.decide(edit('/srv/app/docs/[a].md'), { signal })).by).toBe(
    'grant Edit(docs/\\[a\\].md)',
  );
  expect((await gate.decide(bash('rm x.log'), { signal })).verdict).toBe('deny');

  expect(questions.length).toBe(3);
  expect(told).toEqual([
    {
      type: 'execute',
      pattern: 'Bash(rm \\*.log)',
      action: 'allow',
      scope: 'session',
      grantedAt: expect.any(String),
    },
    {
      type: 'write',
      pattern: 'Edit(docs/\\[a\\].md)',
      action: 'allow',
      scope: 'always',
      grantedAt: expect.any(String),
    },
  ]);
});

test('[Y09] what is asked about every time is never kept', async () => {
  const told: Permission[] = [];
  const { questions, approver } = person({ choice: 'always' }, { choice: 'always' });
  const strict = { ...policy, rules: { ...policy.rules, ask: ['Bash(git push *)'] } };
  const gate = createGate({
    policy: () => strict,
    approver,
    onGrant: (permission) => void told.push(permission),
  });

  await gate.decide(bash('git push'), { signal });
  await gate.decide(bash('git push'), { signal });

  expect({ questions: questions.length, told }).toEqual({ questions: 2, told: [] });
});

test('with nobody to ask, the answer is no and says how to allow it', async () => {
  const gate = createGate({ policy: () => policy });

  expect(await gate.decide(bash("echo 'a' > b"), { signal })).toEqual({
    verdict: 'deny',
    by: 'default',
    because:
      "no permission for Bash echo 'a' > b (it redirects to b) and nobody to ask; " +
      "allow it with --allow 'Bash(echo '\\''a'\\'' > b)'",
  });
});

test('with nobody to ask, no flag is named that would not help', async () => {
  const gate = createGate({ policy: () => ({ ...policy, rules: { ...policy.rules, ask: ['Bash(make)'] } }) });

  expect((await gate.decide(bash('make'), { signal })).because).toMatch(
    /and nobody to ask; it is asked about every time, in a terminal$/,
  );
});

test('questions are asked one at a time, and an answer serves those that wait', async () => {
  const open: ((answer: Answer) => void)[] = [];
  const gate = createGate({
    policy: () => policy,
    approver: () => new Promise((resolve) => open.push(resolve)),
  });

  const both = Promise.all([gate.decide(bash('make'), { signal }), gate.decide(bash('make'), { signal })]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(open.length).toBe(1);
  open[0]?.({ choice: 'session' });

  expect((await both).map(({ by }) => by)).toEqual(['user', 'grant Bash(make)']);
  expect(open.length).toBe(1);
});

test('an abort ends a question nobody answers, and the next one is still asked', async () => {
  const abort = new AbortController();
  let asked = 0;
  const gate = createGate({
    policy: () => policy,
    approver: () => {
      asked += 1;
      return asked === 1 ? new Promise<Answer>(() => undefined) : Promise.resolve({ choice: 'once' });
    },
  });

  const first = gate.decide(bash('make'), { signal: abort.signal });
  setTimeout(() => abort.abort(new Error('stopped')), 10);
  await expect(first).rejects.toThrow('stopped');
  expect((await gate.decide(bash('make'), { signal })).verdict).toBe('allow');
  await expect(gate.decide(bash('ls'), { signal: abort.signal })).rejects.toThrow('stopped');
});

test('a change of mode counts from the next call on', async () => {
  let mode: Policy['mode'] = 'accept-edits';
  const gate = createGate({ policy: () => ({ ...policy, mode }) });

  expect((await gate.decide(edit('a.ts'), { signal })).by).toBe('mode accept-edits');
  mode = 'plan';
  expect((await gate.decide(edit('a.ts'), { signal })).by).toBe('mode plan');
});

test('an empty command can be answered for the session without leaving a rule', async () => {
  const told: Permission[] = [];
  const { approver } = person({ choice: 'session' });
  const gate = createGate({
    policy: () => policy,
    approver,
    onGrant: (permission) => void told.push(permission),
  });

  expect((await gate.decide(bash(' '), { signal })).verdict).toBe('allow');
  expect(told).toEqual([]);
});
