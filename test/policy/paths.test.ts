import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createGuard } from '../../src/sandbox/guard.ts';
import { bundleScript } from '../support/bundle-script.ts';
import { workspace } from '../support/workspace.ts';
import { checkPaths } from './check-paths.ts';
import { harmlessFiles, pathCases, secretFiles } from './paths.cases.ts';

/** Owns nothing and is in no group that matters. */
const NOBODY = 65_534;

async function folder(): Promise<string> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-paths-')));
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 3 }));
  return base;
}

test('the table is large enough', () => {
  expect(new Set(pathCases.map(([file]) => file)).size).toBe(pathCases.length);
  expect(pathCases.length + secretFiles.length + harmlessFiles.length).toBeGreaterThan(250);
});

test('[P01] [P08] [X05] [R08] [Y08] every path case holds for the user who runs the tests', async () => {
  expect(await checkPaths(await folder())).toEqual([]);
});

test('[X05] [R08] every path case holds for an ordinary user', async ({ skip }) => {
  if (process.getuid?.() !== 0)
    skip('only root can become another user; the case above ran as an ordinary one');
  const base = await folder();
  const script = path.join(base, 'check.mjs');
  await bundleScript('test/policy/report-paths.ts', script);
  await chmod(base, 0o755);
  const place = path.join(base, 'theirs');
  await mkdir(place);
  await chown(place, NOBODY, NOBODY);

  const { stdout } = await promisify(execFile)(process.execPath, [script, place], {
    cwd: place,
    env: { HOME: place },
    uid: NOBODY,
    gid: NOBODY,
  });
  expect(JSON.parse(stdout)).toEqual({ uid: NOBODY, wrong: [] });
});

test('[Y08] a name the user blocked stays blocked in other Unicode forms and cases', async () => {
  const { root, home } = await workspace();
  const composed = 'T\u00fcr.txt';
  const decomposed = 'Tu\u0308r.txt';
  for (const name of [composed, decomposed, 'other.txt']) await writeFile(path.join(root, name), 'x');
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [composed],
    allowedPaths: [],
    home,
  });
  expect(
    [composed, decomposed, 't\u00fcr.TXT', 'other.txt'].map((name) => guard.allows(name, 'read')),
  ).toEqual([false, false, false, true]);
});

test('[Y08] an exception opens exactly what it names', async () => {
  const { root, home } = await workspace({ '.env': '', '.env.local': '', 'app/.env': '', '.ssh/config': '' });
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: ['./.env', '../outside/.env', '/etc/passwd'],
    home,
  });
  const paths = ['.env', '.env.local', 'app/.env', '.ssh/config', '../outside/.env', '/etc/passwd', '.env/x'];
  expect(paths.filter((file) => guard.allows(file, 'read'))).toEqual(['.env', '.env/x']);
});
