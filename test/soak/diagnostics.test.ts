// @module-tag soak
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { playEdits } from '../support/edited-repository.ts';
import { rounds } from '../support/soak.ts';

const SESSIONS = 8;
const EDITS = rounds(64, 500);

/** Processes that run this very server in the folder. */
async function serversIn(root: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const [program = ''] = line.split('\0');
      return cwd === root && line.includes('--lsp') && path.basename(program) === 'node';
    }),
  );
  return found.filter(Boolean).length;
}

test(`${EDITS} edits by ${SESSIONS} sessions, a third by commands: all known, nothing stale, one server`, {
  timeout: 1_800_000,
}, async () => {
  const servers: number[] = [];
  const { results, known, stale, missed } = await playEdits({
    sessions: SESSIONS,
    edits: EDITS,
    // How fast it is depends on the machine: `npm run bench` measures that.
    limitMs: 120_000,
    whenDone: onTestFinished,
    watch: async (root) => void servers.push(await serversIn(root)),
  });
  expect({ stale, missed }).toEqual({ stale: [], missed: [] });
  expect(known).toBe(results);
  expect(new Set(servers.filter((count) => count > 0))).toEqual(new Set([1]));
});
