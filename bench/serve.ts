import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildProgram } from '../test/support/build-program.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { publish } from './publish.ts';
import { loadRows } from './serve-load.ts';
import { pageRows } from './serve-page.ts';

/** `what` names the unit. */
export type ServeRow = { what: string; figure: number; target?: string };

/**
 * `aca serve` with many sessions and clients, and its page in Chromium: `npm run bench:serve`. `--record` appends the
 * table to bench/results.md.
 */
async function bench(): Promise<void> {
  buildProgram();
  const rows = [...(await inFolder(loadRows)), ...(await inFolder(pageRows))];
  const lines = rows.map(({ what, figure, target = '' }) => `| ${what} | ${shown(figure)} | ${target} |`);
  await publish('Server', ['| what | figure | target |', '| --- | --- | --- |', ...lines].join('\n'));
}

async function inFolder(measure: (space: Workspace) => Promise<ServeRow[]>): Promise<ServeRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-serve-')));
  const space = {
    root: path.join(folder, 'project'),
    home: path.join(folder, 'home'),
    tree: async () => ({}),
  };
  try {
    await Promise.all([mkdir(space.root), mkdir(space.home)]);
    return await measure(space);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function shown(figure: number): string {
  return Number.isInteger(figure) ? String(figure) : figure.toFixed(figure < 1 ? 3 : 1);
}

await bench();
