import { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endOf } from './follow-command.ts';

/** A shell that has ended while another process may still hold its pipes. */
function ended() {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const child = { process: new ChildProcess(), stdout: new PassThrough(), stderr: new PassThrough() };
  const told: string[] = [];
  const end = endOf(child).then(() => told.push('ended'));
  child.stdout.on('data', (data) => told.push(String(data)));
  return { ...child, end, told };
}

test('output paused because of a slow disk is awaited, and read once there is space', async () => {
  const { process, stdout, end, told } = ended();
  stdout.pause();
  stdout.write('late');
  process.emit('exit', 0, null);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).toEqual([]);
  stdout.resume();
  await vi.advanceTimersByTimeAsync(100);
  process.emit('close');
  await end;
  expect(told).toEqual(['late', 'ended']);
});

test('the wait for a pipe held by another process, or for a hanging disk, is limited', async () => {
  const open = ended();
  open.process.emit('exit', 0, null);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(open.told).toEqual(['ended']);
  const held = ended();
  held.stdout.pause();
  held.process.emit('exit', 0, null);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(held.told).toEqual(['ended']);
});
