import { beforeAll, expect, test } from 'vitest';
import { plainPolicy } from '../../test/support/policy.ts';
import type { Access, Answer, PermissionRequest } from '../contract/permission.ts';
import { createGate } from './gate.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const policy = plainPolicy('/srv/app');
const signal = new AbortController().signal;

function call(tool: string, access: Access) {
  const operation = `${tool} ${access.target}`;
  return {
    callId: operation,
    tool,
    operation,
    accesses: [access],
    because: '',
    input: { of: access.target },
  };
}
const bash = (target: string) => call('Bash', { kind: 'execute', target });
const edit = (target: string) => call('Edit', { kind: 'write', target });

/** A user who always gives this answer, and records every question. */
function person(answer: Answer = { choice: 'no' }) {
  const questions: PermissionRequest[] = [];
  const approver = async (request: PermissionRequest): Promise<Answer> => {
    questions.push(request);
    return answer;
  };
  return { questions, gate: createGate({ policy: () => policy, approver }) };
}

test('the question says whether accept-edits mode would cover it', async () => {
  const { questions, gate } = person();
  for (const asked of [edit('a.ts'), edit('/etc/hosts'), edit('.git/hooks/x'), bash('make')])
    await gate.decide(asked, { signal });
  expect(questions.map(({ acceptEdits }) => acceptEdits ?? false)).toEqual([true, false, false, false]);
});

test('the question says how many more are waiting', async () => {
  const { questions, gate } = person({ choice: 'once' });
  // `ls` is free, so it does not count.
  await gate.decide(bash('make'), { signal, asked: 0, later: [bash('ls'), edit('a'), edit('b')] });
  await gate.decide(edit('a'), { signal, asked: 1, later: [edit('b')] });
  await gate.decide(edit('b'), { signal, asked: 2, later: [] });
  await gate.decide(edit('c'), { signal });
  expect(questions.map(({ queue }) => queue)).toEqual([
    { position: 1, total: 3 },
    { position: 2, total: 3 },
    { position: 3, total: 3 },
    undefined,
  ]);
});

test('questions of several agents wait for one another', async () => {
  const { questions, gate } = person();
  await Promise.all([edit('a'), edit('b')].map((one) => gate.decide(one, { signal })));
  expect(questions.map(({ queue }) => queue)).toEqual([{ position: 1, total: 2 }, undefined]);
});

test('a command judged in another folder is marked where it is written', async () => {
  const { questions, gate } = person();
  const target = 'ls && make';
  const one = bash(target);
  const accesses: Access[] = [
    { kind: 'execute', target },
    { kind: 'read', target: 'sub' },
  ];
  await gate.decide({ ...one, accesses }, { signal });
  expect(questions[0]?.parts?.map(({ span }) => span && target.slice(span.start, span.end))).toEqual([
    'ls',
    'make',
  ]);
});

test('what the model says of a command is its claim, and never the reason', async () => {
  const { questions, gate } = person();
  const said = { ...bash('rm -rf dist/old'), input: { description: ' Cleans\n up  ' } };
  await gate.decide(said, { signal });
  await gate.decide(bash('rm a'), { signal });
  expect(questions[0]).toMatchObject({
    because: 'rm deletes dist/old and everything in it',
    claim: 'Cleans up',
  });
  expect(questions[1]).not.toHaveProperty('claim');
});

test('no lasting answer is offered for a here-document', async () => {
  const { questions, gate } = person();
  for (const line of ["cat > a <<'E'\n\nx\nE", "python3 - <<'E' && ls\nx\nE", 'touch a'])
    await gate.decide(bash(line), { signal });
  expect(questions.map(({ grants }) => grants)).toEqual([undefined, undefined, ['Bash(touch a)']]);
});
