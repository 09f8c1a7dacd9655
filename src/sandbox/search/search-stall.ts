import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { peek } from '../../lib/files/peek.ts';

const CHECK_MS = 500;
/** Consecutive checks at which a search was blocked on a pipe. */
const STALLED_CHECKS = 3;
/** Files that a search reads on its own, to know what to ignore. */
const RULE_FILES = new Set(['.gitignore', '.ignore', '.rgignore']);
const MAX_FOLDERS = 20_000;

/**
 * Detects a search that is blocked on a pipe, which never ends if one has the name of an ignore file. Only
 * Linux reports what a process waits for.
 */
export function watchForStall(pid: number | undefined, onStall: () => void): { stop(): void } {
  if (process.platform !== 'linux' || pid === undefined) return { stop: () => undefined };
  let checks = 0;
  const timer = setInterval(() => {
    checks = waitsForPipe(pid) ? checks + 1 : 0;
    if (checks >= STALLED_CHECKS) onStall();
  }, CHECK_MS);
  return { stop: () => clearInterval(timer) };
}

/** Whether one of its threads is opening a pipe without another end, or reading from one without a writer. */
function waitsForPipe(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some((thread) =>
      /^(wait_for_partner|fifo_open|(anon_)?pipe_read)$/.test(
        readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'latin1'),
      ),
    );
  } catch {
    // It has just ended.
    return false;
  }
}

/** Names the file responsible, if it is found in time. */
export function explainStall(folder: string): string {
  const found = findPipe(folder);
  const what = found === null ? 'a pipe with the name of an ignore file' : `${found}, which is a pipe`;
  return `The search hung on ${what}. Remove it, or search another folder.`;
}

function findPipe(root: string): string | null {
  const queue = ['.'];
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const folder = queue.shift();
    if (folder === undefined) return null;
    for (const entry of entriesOf(path.join(root, folder))) {
      const file = path.join(folder, entry.name);
      if (RULE_FILES.has(entry.name) && peek.isSpecial(path.join(root, file))) return file;
      if (entry.isDirectory()) queue.push(path.join(folder, entry.name));
    }
  }
  return null;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Missing or closed: not the one that blocked.
    return [];
  }
}
