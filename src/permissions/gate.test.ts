import { beforeAll, expect, test } from 'vitest';
import { plainPolicy } from '../../test/support/policy.ts';
import type { Access, Answer, Permission, PermissionRequest } from '../contract/permission.ts';
import { createGate } from './gate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const policy: Policy = plainPolicy(cwd);
const signal = new AbortController().signal;

let calls = 0;
function call(tool: string, access: Access, input: unknown = { of: access.target }) {
  calls += 1;
  const operation = `${tool} ${access.target}`;
  return { callId: `call-${calls}`, tool, operation, accesses: [access], because: '', input };
}
const bash = (target: string) => call('Bash', { kind: 'execute', target });
const edit = (target: string) => call('Edit', { kind: 'write', target });

/** A user with prepared answers who records every question. */
function person(...answers: Answer[]) {
  const questions: PermissionRequest[] = [];
  const approver = async (request: PermissionRequest): Promise<Answer> => {
    questions.push(request);
    return answers[questions.length - 1] ?? { choice: 'no', reason: 'no more answers' };
  };
  return { questions, approver };
}

test('neither allowed nor forbidden calls are asked about', async () => {
  const { questions, approver } = person();
  const gate = createGate({ policy: () => policy, approver });
  expect(await gate.decide(bash('ls'), { signal })).toEqual({
    verdict: 'allow',
    by: 'default',
    because: 'only reads',
    onlyReads: true,
  });
  expect(await gate.decide(bash('sudo ls'), { signal })).toEqual({
    verdict: 'deny',
    by: 'built-in privileges',
    because: 'Command is blocked: runs as another user',
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
      because: 'changes a file',
      grants: ['Edit(a.ts)'],
      acceptEdits: true,
      preview: { kind: 'text', text: 'the diff' },
    },
  ]);
});

test('a yes to all sandboxed commands is passed on and remembers nothing; it counts only if all was shown', async () => {
  const { approver } = person({ choice: 'sandboxed' }, { choice: 'sandboxed', shown: 'part' });
  const told: unknown[] = [];
  const tell = (what: unknown) => void told.push(what);
  const gate = createGate({ policy: () => policy, approver, onGrant: tell, onFree: tell });

  expect(await gate.decide(bash('make'), { signal })).toMatchObject({ verdict: 'allow', by: 'user' });
  expect(await gate.decide(bash('make all'), { signal })).toMatchObject({ verdict: 'deny' });
  expect([told, gate.grants()]).toEqual([['sandboxed'], []]);
});

test('[P04][Y09] a no is remembered for the identical request only', async () => {
  const { questions, approver } = person({ choice: 'no' }, { choice: 'once' }, { choice: 'once' });
  const gate = createGate({ policy: () => policy, approver });
  const denied = { verdict: 'deny', by: 'user', because: 'User denied permission' };

  expect(await gate.decide(bash('make'), { signal })).toEqual(denied);
  const again = await gate.decide(bash('make'), { signal });
  expect(again).toMatchObject({ verdict: 'deny', by: 'user' });
  expect(again.because).toMatch(/^User denied permission \(already declined/);
  expect(questions.length).toBe(1);
  expect((await gate.decide(bash('make all'), { signal })).verdict).toBe('allow');

  for (const { key } of gate.denials()) gate.forgetDenial(key);
  expect((await gate.decide(bash('make'), { signal })).verdict).toBe('allow');
  expect(questions.length).toBe(3);
});

test('a new prompt forgets every no', async () => {
  const { questions, approver } = person({ choice: 'no' }, { choice: 'no' }, { choice: 'once' });
  const gate = createGate({ policy: () => policy, approver });
  for (const line of ['make', 'make all']) await gate.decide(bash(line), { signal });

  gate.forgetDenials();
  expect(gate.denials()).toEqual([]);
  expect((await gate.decide(bash('make'), { signal })).verdict).toBe('allow');
  expect(questions.length).toBe(3);
});

test('a no with a reason is passed on to the model', async () => {
  const { approver } = person({ choice: 'no', reason: ' use npm ' });
  const gate = createGate({ policy: () => policy, approver });
  expect(await gate.decide(bash('yarn'), { signal })).toEqual({
    verdict: 'deny',
    by: 'user',
    because: 'User denied permission: use npm',
    reason: 'use npm',
  });
});

test('[P06][P11] a yes for the session is kept for exactly what was shown, and reported', async () => {
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

test('[Y09] what is always asked about is never remembered', async () => {
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

test('without a user to ask, the answer is no; the user sees how to allow it, and the model one short sentence', async () => {
  const gate = createGate({ policy: () => policy });

  expect(await gate.decide(bash("echo 'a' > b"), { signal })).toEqual({
    verdict: 'deny',
    by: 'default',
    because:
      "Bash echo 'a' > b needs approval (writes to b), and this session is not interactive; " +
      "allow it with --allow 'Bash(echo '\\''a'\\'' > b)'",
    toModel:
      'Refused: it needs approval (writes to b), and nobody can approve it in this run. Do what is possible without it, and say what is missing.',
  });
});

test('without a user to ask, only flags that would help are named', async () => {
  const gate = createGate({ policy: () => ({ ...policy, rules: { ...policy.rules, ask: ['Bash(make)'] } }) });

  expect((await gate.decide(bash('make'), { signal })).because).toMatch(
    /and this session is not interactive; approve it in an interactive session$/,
  );
});

test('questions are asked one at a time, and an answer also applies to waiting ones', async () => {
  const open: ((answer: Answer) => void)[] = [];
  const gate = createGate({
    policy: () => policy,
    approver: () => new Promise((resolve) => open.push(resolve)),
  });

  const both = Promise.all([gate.decide(bash('make'), { signal }), gate.decide(bash('make'), { signal })]);
  await expect.poll(() => open.length).toBe(1);
  open[0]?.({ choice: 'session' });

  expect((await both).map(({ by }) => by)).toEqual(['user', 'grant Bash(make)']);
  expect(open.length).toBe(1);
});

test('an abort ends an unanswered question, and the next one is still asked', async () => {
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

test('a mode change applies from the next call on', async () => {
  let mode: Policy['mode'] = 'accept-edits';
  const gate = createGate({ policy: () => ({ ...policy, mode }) });

  expect((await gate.decide(edit('a.ts'), { signal })).by).toBe('mode accept-edits');
  mode = 'plan';
  expect((await gate.decide(edit('a.ts'), { signal })).by).toBe('mode plan');
});

test('an empty command can be approved for the session without leaving a rule', async () => {
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

test('[C05] the question about a command names its parts, the risky one, its sandbox and what a yes would remember', async () => {
  const { questions, approver } = person({ choice: 'no' });
  const sandbox = { kind: 'bubblewrap', level: 'standard', network: 'none' } as const;
  const gate = createGate({ policy: () => ({ ...policy, sandbox }), approver });

  await gate.decide(bash('ls && rm a'), { signal });

  expect(questions[0]).toMatchObject({ sandbox, grants: ['Bash(ls && rm a)'] });
  expect(questions[0]?.parts?.map(({ text, verdict }) => [text, verdict])).toEqual([
    ['ls', 'allow'],
    ['rm a', 'ask'],
  ]);
});

test('[C05] the question about a link shows its target', async () => {
  const { questions, approver } = person({ choice: 'session' });
  const told: Permission[] = [];
  const gate = createGate({
    policy: () => ({ ...policy, realOf: (file) => file.replace('/app/link', '/app/src/real') }),
    approver,
    onGrant: (permission) => void told.push(permission),
  });

  await gate.decide(edit('link/a.ts'), { signal });

  expect(questions[0]?.leadsTo).toEqual([{ written: 'link/a.ts', real: '/srv/app/src/real/a.ts' }]);
  expect(told.map(({ pattern }) => pattern)).toEqual(['Edit(src/real/a.ts)']);
});

test('a startup file is asked about also through a link', async () => {
  const { questions, approver } = person({ choice: 'always' }, { choice: 'always' });
  const gate = createGate({
    policy: () => ({
      ...policy,
      mode: 'accept-edits',
      realOf: (file) => (file.endsWith('notes.txt') ? '/srv/app/.git/hooks/pre-commit' : file),
    }),
    approver,
  });

  await gate.decide(edit('notes.txt'), { signal });
  await gate.decide(edit('notes.txt'), { signal });

  expect(questions.map(({ grants }) => grants)).toEqual([undefined, undefined]);
});

test('[Y09] a command outside the sandbox can only be approved once', async () => {
  const { questions, approver } = person({ choice: 'session' }, { choice: 'no' });
  const sandbox = { kind: 'bubblewrap', level: 'strict', network: 'none' } as const;
  const gate = createGate({ policy: () => ({ ...policy, sandbox }), approver });
  const outside = () => call('Bash', { kind: 'execute', target: 'make', unconfined: true });

  expect((await gate.decide(outside(), { signal })).verdict).toBe('allow');
  expect((await gate.decide(outside(), { signal })).verdict).toBe('deny');

  const because = "not sandboxed: make runs the project's own build";
  expect(questions).toMatchObject([{ because, sandbox: { kind: 'host', network: 'open' } }, { because }]);
  expect(questions[0]).not.toHaveProperty('grants');
});

test('[P04] answers can be listed and revoked one by one', async () => {
  const { questions, approver } = person(
    { choice: 'session' },
    { choice: 'no', reason: 'later' },
    { choice: 'once' },
    { choice: 'once' },
  );
  const gate = createGate({ policy: () => policy, approver });
  await gate.decide(bash('make'), { signal });
  await gate.decide(bash('make install'), { signal });

  expect(gate.grants().map(({ pattern }) => pattern)).toEqual(['Bash(make)']);
  expect(gate.denials()).toEqual([
    { key: expect.any(String), operation: 'Bash make install', because: 'User denied permission: later' },
  ]);

  for (const grant of gate.grants()) gate.forgetGrant(grant);
  for (const { key } of gate.denials()) gate.forgetDenial(key);
  await gate.decide(bash('make'), { signal });
  await gate.decide(bash('make install'), { signal });
  expect(questions.length).toBe(4);
});

test('a grant applies to the next call, also if it comes from the policy', async () => {
  const { questions, approver } = person();
  const grants: Permission[] = [
    { type: 'execute', pattern: 'Bash(make)', action: 'allow', scope: 'always', grantedAt: '2026-01-01' },
  ];
  const gate = createGate({ policy: () => ({ ...policy, grants }), approver });
  expect((await gate.decide(bash('make'), { signal })).by).toBe('grant Bash(make)');
  expect(questions).toEqual([]);
});

test('a yes to a request that was not completely shown does not count: the question is asked again', async () => {
  const { questions, approver } = person(
    { choice: 'always', shown: 'part' },
    { choice: 'once', shown: 'part' },
    { choice: 'once', shown: 'all' },
  );
  const granted: Permission[] = [];
  const gate = createGate({ policy: () => policy, approver, onGrant: (one) => void granted.push(one) });

  const decision = await gate.decide(bash('make'), { signal });

  expect(decision).toEqual({ verdict: 'allow', by: 'user', because: 'the user allowed it (once)' });
  expect(questions.length).toBe(3);
  expect(new Set(questions).size).toBe(1);
  expect(granted).toEqual([]);
});

test('a user who never sees the whole request has not agreed; nothing is remembered', async () => {
  const { questions, approver } = person(
    ...(['session', 'always', 'once'] as const).map((choice) => ({ choice, shown: 'part' as const })),
    { choice: 'once' },
  );
  const gate = createGate({ policy: () => policy, approver });
  expect(await gate.decide(bash('make'), { signal })).toEqual({
    verdict: 'deny',
    by: 'gate',
    because: 'It was approved before all of it was shown, so it did not run. Send it in smaller parts.',
  });
  expect([questions.length, gate.grants(), gate.denials()]).toEqual([3, [], []]);
  expect((await gate.decide(bash('make'), { signal })).verdict).toBe('allow');
});

test('a no does not require seeing the whole request', async () => {
  const { questions, approver } = person(
    { choice: 'once', shown: 'part' },
    { choice: 'no', reason: 'too long' },
  );
  const gate = createGate({ policy: () => policy, approver });
  expect((await gate.decide(bash('make'), { signal })).because).toBe('User denied permission: too long');
  expect(questions.length).toBe(2);
});
