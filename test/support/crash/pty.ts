import { stripVTControlCharacters } from 'node:util';
import pty from '@lydell/node-pty';
import { cleanEnv } from '../aca.ts';
import { program } from '../program.ts';
import type { Workspace } from '../workspace.ts';
import { prompts } from './scenario.ts';

export type TypedRun = { args: readonly string[]; env: Record<string, string>; killAfterText: string };

/**
 * Runs the scenario's conversation in a terminal, and kills the program as soon as the text is on the screen.
 * Resolves with all output.
 */
export function typeAndKill(space: Workspace, { args, env, killAfterText }: TypedRun): Promise<string> {
  const line = program(['--plain', ...args]);
  const child = pty.spawn(line.file, line.args, {
    cols: 200,
    rows: 40,
    cwd: space.root,
    env: { ...cleanEnv(space, env), TERM: 'xterm-256color' },
  });
  const waiting = [...prompts];
  let shown = '';
  return new Promise((resolve) => {
    child.onData((data) => {
      shown += data;
      const text = stripVTControlCharacters(shown);
      if (text.includes(killAfterText)) child.kill('SIGKILL');
      // Each prompt is typed once the previous one was answered.
      else if (text.split('> ').length - 1 > prompts.length - waiting.length) {
        const next = waiting.shift();
        if (next !== undefined) child.write(`${next}\r`);
      }
    });
    child.onExit(() => resolve(stripVTControlCharacters(shown)));
  });
}
