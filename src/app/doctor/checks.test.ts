import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { healthLines } from '../../commands/doctor.ts';
import { programVersion } from '../../sandbox/shell/program-version.ts';
import { bad, ok } from './check.ts';
import { clockCheck, dataRootChecks, diskCheck } from './machine.ts';
import { reachCheck, skewCheck } from './network.ts';
import { sandboxCheck } from './settings.ts';

const MB = 1024 * 1024;

test('little room is worth a word, hardly any is broken', () => {
  expect([5000 * MB, 400 * MB, 5 * MB].map((free) => diskCheck(free).state)).toEqual(['ok', 'warn', 'bad']);
});

test('a data root that is not there yet is judged by the folder it would be made in, and is not made', async () => {
  const { root } = await workspace();
  const [check] = await dataRootChecks(path.join(root, 'a', 'b'));
  expect(check).toEqual(ok('data root', `${path.join(root, 'a', 'b')}, made when something is kept`));
});

test('a data root that cannot be written is broken', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may write everywhere');
  const { root } = await workspace();
  const closed = path.join(root, 'closed');
  await mkdir(closed);
  await chmod(closed, 0o500);
  const checks = await dataRootChecks(closed);
  expect(checks.map(({ name, state }) => [name, state])).toEqual([['data root', 'bad']]);
});

test('a clock that was never set is broken; one that is off by what servers say is worth a word', () => {
  expect(clockCheck(new Date('1970-01-02')).state).toBe('bad');
  expect(clockCheck(new Date('2026-11-16')).state).toBe('ok');
  const minute = 60_000;
  expect(skewCheck([])).toEqual([]);
  expect(skewCheck([90 * minute, minute])).toEqual([]);
  expect(skewCheck([Number.NaN, -90 * minute]).map(({ text }) => text)).toEqual([
    'this clock is 90 minutes ahead',
  ]);
});

test('a vendor that answers is there, whatever it thinks of us without a key', () => {
  const check = (status: number, sentKey: boolean) =>
    reachCheck({ name: 'v', baseUrl: 'https://v', reached: { type: 'answered', status, ms: 7 }, sentKey });
  expect(
    [check(401, false), check(401, true), check(200, true), check(503, false)].map(({ state }) => state),
  ).toEqual(['ok', 'bad', 'ok', 'warn']);
});

test('no sandbox is worth a word, with the reason', () => {
  const check = sandboxCheck({
    kind: 'host',
    level: 'standard',
    network: 'open',
    fallback: 'bubblewrap is not installed',
  });
  expect([check.state, check.text]).toEqual([
    'warn',
    'commands run not sandboxed, with your full permissions: bubblewrap is not installed',
  ]);
});

test('a program tells its version, one that is not there tells nothing', async () => {
  const env = { PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter) };
  expect([
    await programVersion(path.basename(process.execPath), { cwd: '/nowhere', env }, 20_000),
    await programVersion('no-such-program-here', { cwd: '/nowhere', env }),
  ]).toEqual([process.version, null]);
});

test('lines are aligned, and what to do stands under what is wrong', () => {
  expect(healthLines([ok('git', 'there'), bad('data root', 'full', 'Make room.')])).toEqual([
    'ok    git        there',
    'BAD   data root  full',
    '                 Make room.',
  ]);
});
