import { expect, test } from 'vitest';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import { PendingApprovals } from './pending-approvals.ts';

const asks = (operation: string): PermissionRequest => ({
  callId: 'c1',
  tool: 'Edit',
  operation,
  accesses: [],
  because: 'changes a file',
});
const yes: Answer = { choice: 'once' };
const running = () => new AbortController();

test('[L01] a request is listed until it is answered by its id', async () => {
  const approvals = new PendingApprovals();
  const first = approvals.approver(asks('Edit a'), running().signal);
  const second = approvals.approver(asks('Edit b'), running().signal);
  const [a, b] = approvals.list;
  expect([a, b].map((pending) => pending?.request.operation)).toEqual(['Edit a', 'Edit b']);
  expect(a?.id).not.toBe(b?.id);

  expect(approvals.answer(b?.id ?? '', { choice: 'no', reason: 'not b' })).toBe(true);
  expect(await second).toEqual({ choice: 'no', reason: 'not b' });
  expect(approvals.list.map(({ id }) => id)).toEqual([a?.id]);
  expect(approvals.answer(a?.id ?? '', yes)).toBe(true);
  expect(await first).toEqual(yes);
});

test('the first answer counts; later ones are rejected as too late', async () => {
  const approvals = new PendingApprovals();
  const answered = approvals.approver(asks('Edit a'), running().signal);
  const [{ id } = { id: '' }] = approvals.list;
  expect(approvals.answer(id, yes)).toBe(true);
  expect(approvals.answer(id, { choice: 'no' })).toBe(false);
  expect(approvals.answer('no-such-id', yes)).toBe(false);
  expect(await answered).toEqual(yes);
});

test('a request ends with the run that made it', async () => {
  const approvals = new PendingApprovals();
  const run = running();
  const answered = approvals.approver(asks('Edit a'), run.signal);
  const [{ id } = { id: '' }] = approvals.list;
  run.abort(new Error('stopped'));
  await expect(answered).rejects.toThrow('stopped');
  expect(approvals.list).toEqual([]);
  expect(approvals.answer(id, yes)).toBe(false);
});

test('two frontends show the same request, and an answer in one cancels it in the other', async () => {
  const approvals = new PendingApprovals();
  const shown: string[] = [];
  const calledOff: string[] = [];
  let answerA: (answer: Answer) => void = () => undefined;
  approvals.askThrough((request) => {
    shown.push(`a: ${request.operation}`);
    return new Promise((resolve) => {
      answerA = resolve;
    });
  });
  approvals.askThrough((request, signal) => {
    shown.push(`b: ${request.operation}`);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        calledOff.push(`b: ${request.operation}`);
        reject(signal.reason);
      });
    });
  });
  const answered = approvals.approver(asks('Edit a'), running().signal);
  expect(shown).toEqual(['a: Edit a', 'b: Edit a']);
  answerA(yes);
  expect(await answered).toEqual(yes);
  expect(calledOff).toEqual(['b: Edit a']);
});

test('a frontend that joins later gets the requests that are still open', async () => {
  const approvals = new PendingApprovals();
  const answered = approvals.approver(asks('Edit a'), running().signal);
  approvals.askThrough(async () => yes);
  expect(await answered).toEqual(yes);
});

test('a frontend that fails rejects the request with its error', async () => {
  const approvals = new PendingApprovals();
  approvals.askThrough(async () => {
    throw new Error('the screen is gone');
  });
  await expect(approvals.approver(asks('Edit a'), running().signal)).rejects.toThrow('the screen is gone');
  expect(approvals.list).toEqual([]);
});

test('listeners are notified of every change', async () => {
  const approvals = new PendingApprovals();
  const sizes: number[] = [];
  const stop = approvals.listen(() => sizes.push(approvals.list.length));
  const answered = approvals.approver(asks('Edit a'), running().signal);
  approvals.answer(approvals.list[0]?.id ?? '', yes);
  await answered;
  stop();
  void approvals.approver(asks('Edit b'), running().signal);
  expect(sizes).toEqual([1, 0]);
});
