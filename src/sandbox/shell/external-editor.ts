import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Opens a text in the user's editor, which gets the terminal meanwhile. `command` is as in EDITOR: a program
 * with its arguments. Null if the program failed or could not be started.
 */
export async function editInProgram(text: string, command: string): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-prompt-'));
  const file = path.join(folder, 'prompt.md');
  try {
    // Editors expect a final newline and add one themselves; a prompt has none.
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    if ((await exitOf(command, file)) !== 0) return null;
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The program that the user prefers, with its arguments. */
export function editorOf({ VISUAL, EDITOR }: Readonly<NodeJS.ProcessEnv>): string {
  return VISUAL || EDITOR || 'vi';
}

function exitOf(command: string, file: string): Promise<number | null> {
  const child =
    process.platform === 'win32'
      ? spawn(`${command} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
}
