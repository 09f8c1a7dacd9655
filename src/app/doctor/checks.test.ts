import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { healthLines } from '../../commands/doctor.ts';
import { settled } from '../../config/schema/check-settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import { programVersion } from '../../sandbox/shell/program-version.ts';
import { bad, ok } from './check.ts';
import { clockCheck, dataRootChecks, diskCheck } from './machine.ts';
import { reachCheck, skewCheck } from './network.ts';
import { sandboxCheck } from './settings.ts';
import { voiceCheck } from './voice.ts';

const MB = 1024 * 1024;

test('low disk space is a warning, almost none is an error', () => {
  expect([5000 * MB, 400 * MB, 5 * MB].map((free) => diskCheck(free).state)).toEqual(['ok', 'warn', 'bad']);
});

test('a missing data root is checked through its nearest existing parent, and is not created', async () => {
  const { root } = await workspace();
  const [check] = await dataRootChecks(path.join(root, 'a', 'b'));
  expect(check).toEqual(ok('data root', `${path.join(root, 'a', 'b')} (created when first needed)`));
});

test('a provider that does not exist cannot transcribe', async () => {
  const { root } = await workspace();
  const host = { env: {}, cwd: root };
  const voice = (more: Partial<Config['voice']>) => {
    const config = settled({});
    return voiceCheck({ config: { ...config, voice: { ...config.voice, ...more } } }, host);
  };
  const wrong = 'There is no provider nope.';
  expect(voice({ provider: 'nope', recordCommand: 'rec' })).toMatchObject({ state: 'bad', text: wrong });
  expect(voice({ provider: 'openai', recordCommand: 'rec' })).toMatchObject({ state: 'ok' });
  expect(voice({ provider: 'nope', command: 'hear', recordCommand: 'rec' })).toMatchObject({ state: 'ok' });
});

test('a data root that cannot be written is an error', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may write everywhere');
  const { root } = await workspace();
  const closed = path.join(root, 'closed');
  await mkdir(closed);
  await chmod(closed, 0o500);
  const checks = await dataRootChecks(closed);
  expect(checks.map(({ name, state }) => [name, state])).toEqual([['data root', 'bad']]);
});

test('a clock that was never set is an error; one that differs from server time is a warning', () => {
  expect(clockCheck(new Date('1970-01-02')).state).toBe('bad');
  expect(clockCheck(new Date('2026-11-16')).state).toBe('ok');
  const minute = 60_000;
  expect(skewCheck([])).toEqual([]);
  expect(skewCheck([90 * minute, minute])).toEqual([]);
  expect(skewCheck([Number.NaN, -90 * minute]).map(({ text }) => text)).toEqual([
    'the system clock is 90 minutes ahead',
  ]);
});

test('a vendor that answers is reachable, whatever its status code without a key', () => {
  const check = (status: number, sentKey: boolean) =>
    reachCheck({ name: 'v', baseUrl: 'https://v', reached: { type: 'answered', status, ms: 7 }, sentKey });
  expect(
    [check(401, false), check(401, true), check(200, true), check(503, false)].map(({ state }) => state),
  ).toEqual(['ok', 'bad', 'ok', 'warn']);
});

test.each([
  [true, 'v at https://v responded in 7 ms and accepted the key'],
  [false, 'v at https://v responded in 7 ms; it lists its models without a key, so the key was not checked'],
])('a key counts as accepted only where a request without one is refused: %s', (needsKey, text) => {
  const reached = { type: 'answered', status: 200, ms: 7, needsKey } as const;
  expect(reachCheck({ name: 'v', baseUrl: 'https://v', reached, sentKey: true }).text).toBe(text);
});

test('no sandbox is a warning, with the reason', () => {
  const check = sandboxCheck({
    kind: 'host',
    level: 'standard',
    network: 'open',
    fallback: 'bubblewrap is not installed',
  });
  expect([check.state, check.text]).toEqual([
    'warn',
    'commands run without a sandbox, with your full permissions: bubblewrap is not installed',
  ]);
});

test('a program reports its version, a missing one nothing', async () => {
  const env = { PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter) };
  expect([
    await programVersion(path.basename(process.execPath), { cwd: '/nowhere', env }, 20_000),
    await programVersion('no-such-program-here', { cwd: '/nowhere', env }),
  ]).toEqual([process.version, null]);
});

test('lines are aligned, and each suggestion is under its problem', () => {
  expect(healthLines([ok('git', 'there'), bad('data root', 'full', 'Make room.')])).toEqual([
    'ok    git        there',
    'BAD   data root  full',
    '                 Make room.',
  ]);
});
