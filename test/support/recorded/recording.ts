import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Lab } from '../lab.ts';
import type { Step } from '../model-server/script.ts';
import { ALLOWED } from '../replay.ts';
import { openScreen } from '../screen.ts';
import type { Workspace } from '../workspace.ts';

export async function sessionIn(space: Workspace): Promise<string> {
  const names = await readdir(path.join(space.home, '.ai-assistant', 'sessions'));
  const ids = names.flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -6)] : []));
  if (ids.length !== 1) throw new Error(`${ids.length} sessions`);
  return ids[0] ?? '';
}

/** A conversation on the screen; `act` types. */
export async function onScreen(
  space: Workspace,
  script: Step[],
  act: (lab: Lab) => Promise<void>,
): Promise<string> {
  const { lab } = await openScreen(space, script, { args: ['--mode', 'accept-edits', ...ALLOWED] });
  await act(lab);
  lab.type('/quit\r');
  await lab.exit;
  return sessionIn(space);
}

export const AS = '-c user.name=x -c user.email=x@example.com';

/** What the user does with git; `git` stands for it with a name. */
export async function git(space: Workspace, line: string): Promise<void> {
  const command = `git ${line}`.replaceAll(/\bgit /g, `git ${AS} `);
  await promisify(execFile)('sh', ['-c', command], { cwd: space.root });
}

/** A session, and what its replay reports. */
export type Recorded = {
  files?: Record<string, string>;
  record(space: Workspace): Promise<string>;
  /** Why calls are answered from the journal. */
  fromJournal?: string[];
  notes?: RegExp;
  runs?: number;
};
