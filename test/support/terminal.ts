import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { cleanEnv } from './aca.ts';
import { programLine } from './program.ts';
import type { Workspace } from './workspace.ts';

/** Less than a test may take; a busy machine takes a minute to start a program. */
const WAIT_MS = 180_000;

export type Terminal = {
  type(keys: string): void;
  /** The scrollback and the screen, as a user would see them. */
  screen(): string;
  /**
   * Resolves when the text is visible; the error shows the screen. `times` waits for that many occurrences.
   */
  waitFor(text: string, times?: number): Promise<void>;
  exitCode: Promise<number>;
};

/** The built program in a real terminal of 100 columns. */
export function openTerminal(space: Workspace, args: string[], env: Record<string, string> = {}): Terminal {
  return openProgram(programLine(args), space, env);
}

/** Any program, such as a shell. */
export function openProgram(
  [file = '', ...args]: readonly string[],
  space: Workspace,
  env: Record<string, string> = {},
): Terminal {
  const screen = new xterm.Terminal({ cols: 100, rows: 40, scrollback: 5000, allowProposedApi: true });
  const child = pty.spawn(file, args, {
    cols: 100,
    rows: 40,
    cwd: space.root,
    env: { ...cleanEnv(space, env), TERM: 'xterm-256color' },
  });
  let pending = Promise.resolve();
  child.onData((data) => {
    pending = pending.then(() => new Promise((resolve) => screen.write(data, resolve)));
  });
  const exitCode = new Promise<number>((resolve) =>
    child.onExit(({ exitCode: code }) => pending.then(() => resolve(code))),
  );
  onTestFinished(() => child.kill('SIGKILL'));

  const text = () => {
    const buffer = screen.buffer.active;
    const lines = Array.from(
      { length: buffer.length },
      (_, i) => buffer.getLine(i)?.translateToString(true) ?? '',
    );
    return lines.join('\n').trimEnd();
  };
  return {
    type: (keys) => child.write(keys),
    screen: text,
    exitCode,
    async waitFor(wanted, times = 1) {
      const until = performance.now() + WAIT_MS;
      // Trailing spaces cannot be distinguished from an empty screen.
      while (text().split(wanted.trimEnd()).length - 1 < times) {
        if (performance.now() > until) throw new Error(`"${wanted}" did not appear. The screen:\n${text()}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
