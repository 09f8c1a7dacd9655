import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { commandJudge, loadJudge } from '../../../src/assembly/safety/judge-command.ts';
import { rounds, sweepGroups } from '../../support/soak.ts';
import { bait } from './bait.ts';
import { implementations } from './implementations.ts';
import { redTeamLines, usesProgram } from './lines.ts';
import { traceLines } from './trace.ts';

let folder: string;

beforeAll(loadJudge);
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-red-team-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** `documented`: with the options of help texts and manual pages. */
type Share = { documented: boolean; judged: number; traced: number };

// What `npm test` has time for, and what a longer run has.
const shares: Share[] = [
  { documented: false, judged: 1_000, traced: 20 },
  { documented: true, judged: 60_000, traced: rounds(1_500, 20_000) },
];

/** In an order that depends on nothing but the seed. */
function shuffled(lines: readonly string[]): string[] {
  const seed = process.env.ACA_TEST_SEED ?? '1';
  const keyOf = (line: string) => createHash('sha1').update(`${seed} ${line}`).digest('hex');
  return lines
    .map((line) => ({ line, key: keyOf(line) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ line }) => line);
}

sweepGroups(shares.map((share) => [share] as const))('a sample of %j', ({ documented, judged, traced }) => {
  test('[Y06] no allowed line writes, runs something else, reads what is closed or opens a connection', {
    timeout: 3_600_000,
  }, async ({ skip }) => {
    if (!existsSync('/usr/bin/strace')) skip('there is no strace to watch with');
    const places = await bait(folder);
    const { cwd, home } = places;
    const judge = commandJudge({ cwd, home, trusted: false, env: process.env });
    const lines = shuffled(redTeamLines({ documented })).slice(0, judged);
    const allowed = lines.filter((line) => judge(line).verdict === 'allow');
    // Fewer would prove nothing.
    expect(allowed.length).toBeGreaterThan(judged / 50);
    expect(await traceLines(allowed.slice(0, traced), places)).toEqual([]);
    // Programs of the same name differ in their options.
    for (const { names, folder: programs } of await implementations(folder)) {
      const theirs = allowed.filter((line) => usesProgram(line, names)).slice(0, traced / 2);
      expect(await traceLines(theirs, { ...places, programs })).toEqual([]);
    }
  });
});

const harmful = [
  'touch OUT',
  'echo x > OUT',
  'rm a.txt',
  'cat .env',
  'cat ../outside.txt',
  './x.sh',
  'exec 3<>/dev/tcp/127.0.0.1/9',
  "printf '%n' PATH; ls",
  'git log --pretty --output=OUT',
  'cd only && du *',
];

test('what a line did is seen', async ({ skip }) => {
  if (!existsSync('/usr/bin/strace')) skip('there is no strace to watch with');
  const seen = await traceLines([...harmful, 'cat a.txt', 'git log'], await bait(folder));
  expect(seen.map(({ line }) => line)).toEqual(harmful);
});
