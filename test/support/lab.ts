import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { cleanEnv } from './aca.ts';
import { programLine } from './program.ts';
import { terminalWidths } from './terminal-widths.ts';
import type { Workspace } from './workspace.ts';

/** Less than a test may take; a busy machine takes a minute to start a program. */
const WAIT_MS = 180_000;
const SHELL_PROMPT = 'shell> ';
const CLEAR_PROMPT = '\u0015';
/** Longer than a question waits after the last key for the prompt. */
const READ_MS = 1_100;
/** A slow connection delivers in steps of this length. */
const SLICE_MS = 50;

export type LabOptions = {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** Runs the program from a shell, which continues when it exits. */
  inShell?: boolean;
  /** A slow connection: the emulator reads, and answers, at this rate. */
  bytesPerSecond?: number;
  /** Registers the cleanup. */
  whenDone: (clean: () => void) => void;
  /** A build other than dist/. */
  main?: string;
  /** Another program, with its arguments. */
  program?: readonly string[];
};

type Cursor = { row: number; column: number; visible: boolean };

/** The real program in a real terminal, seen through an emulator. */
export type Lab = {
  type(keys: string): void;
  paste(text: string): void;
  /** Immediately: output in flight is read at the new size. */
  resize(columns: number, rows: number): void;
  /** Closes the terminal window. */
  hangUp(): void;
  pid: number;
  /** The visible rows, without trailing spaces. */
  rows(): string[];
  /** The scrollback and the screen. */
  all(): string[];
  cursor(): Cursor;
  /** Modes the program has enabled and not disabled again. */
  modes(): { bracketedPaste: boolean; focus: boolean; alternate: boolean };
  /** All output since the start, or since `from`. */
  written(from?: number): string;
  /** Called for every write as it arrives, before it is drawn. */
  onWrite(listener: (text: string) => void): void;
  /** When the last byte arrived, by performance.now(). */
  lastWrite(): number;
  /** The emulator itself, for screenshots. */
  emulator: xterm.Terminal;
  settled(): Promise<void>;
  waitFor(text: string | ((lab: Lab) => boolean), what?: { times?: number; limitMs?: number }): Promise<void>;
  /** What a slow connection has not delivered yet, in characters. */
  undelivered(): number;
  /** Bytes written within this time. */
  quiet(ms: number): Promise<number>;
  exit: Promise<number>;
};

/** A typical terminal: it answers queries, joins emoji, and has a scrollback. */
export function openLab(space: Workspace, args: string[], options: LabOptions): Lab {
  const { columns = 80, rows = 30, env = {}, inShell = false, whenDone } = options;
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
  emulator.unicode.register(terminalWidths);
  emulator.unicode.activeVersion = terminalWidths.version;
  const program = options.program ?? programLine(args, options.main);
  const [file, ...rest] = inShell ? ['/bin/sh', '-i'] : program;
  const child = pty.spawn(file ?? '', rest, {
    cols: columns,
    rows,
    cwd: space.root,
    env: { TERM: 'xterm-256color', PS1: SHELL_PROMPT, ...cleanEnv(space, env) },
  });
  let ended = false;
  whenDone(() => {
    if (!ended) child.kill('SIGKILL');
    emulator.dispose();
  });
  let written = '';
  let lastWrite = performance.now();
  let pending = Promise.resolve();
  child.onData((data) => {
    written += data;
    lastWrite = performance.now();
    pending = pending.then(() => deliver(data));
  });
  let delivered = 0;
  async function deliver(data: string): Promise<void> {
    for (const part of slices(data, options.bytesPerSecond)) {
      if (options.bytesPerSecond) await new Promise((resolve) => setTimeout(resolve, SLICE_MS));
      delivered += part.length;
      await new Promise<void>((resolve) => emulator.write(part, resolve));
    }
  }
  emulator.onData((reply) => {
    if (!ended) child.write(reply);
  });
  const exit = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      ended = true;
      pending.then(() => resolve(exitCode));
    }),
  );
  if (inShell) {
    const command = `${program.map((word) => `'${word}'`).join(' ')}\r`;
    const prompted = child.onData(() => {
      if (!written.includes(SHELL_PROMPT)) return;
      prompted.dispose();
      child.write(command);
    });
  }

  const lines = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        emulator.buffer.active
          .getLine(from + i)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  const lab: Lab = {
    type: (keys) => child.write(keys),
    paste: (text) => child.write(`\u001b[200~${text}\u001b[201~`),
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      child.resize(toColumns, toRows);
    },
    hangUp() {
      ended = true;
      // The library's method for closing its end; missing in its types.
      (child as unknown as { destroy(): void }).destroy();
    },
    pid: child.pid,
    rows: () => withoutEnd(lines(emulator.buffer.active.baseY, emulator.rows)),
    all: () => withoutEnd(lines(0, emulator.buffer.active.length)),
    cursor: () => ({
      row: emulator.buffer.active.cursorY,
      column: emulator.buffer.active.cursorX,
      visible: written.lastIndexOf('\u001b[?25h') >= written.lastIndexOf('\u001b[?25l'),
    }),
    modes: () => ({
      bracketedPaste: emulator.modes.bracketedPasteMode,
      focus: emulator.modes.sendFocusMode,
      alternate: emulator.buffer.active.type === 'alternate',
    }),
    written: (from = 0) => written.slice(from),
    onWrite: (listener) => void child.onData(listener),
    lastWrite: () => lastWrite,
    emulator,
    settled: () => pending,
    undelivered: () => written.length - delivered,
    async waitFor(wanted, { times = 1, limitMs = WAIT_MS } = {}) {
      const until = performance.now() + limitMs;
      const there = () =>
        typeof wanted === 'string'
          ? lab.all().join('\n').split(wanted.trimEnd()).length - 1 >= times
          : wanted(lab);
      while (!there()) {
        if (performance.now() > until) {
          throw new Error(`${String(wanted)} did not come. The screen:\n${lab.all().slice(-60).join('\n')}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async quiet(ms) {
      const before = written.length;
      await new Promise((resolve) => setTimeout(resolve, ms));
      await pending;
      return written.length - before;
    },
    exit,
  };
  return lab;
}

/**
 * Waits until nothing has been written for a while: a screenshot then does not depend on the machine's speed.
 */
export async function still(lab: Lab, ms = 250): Promise<void> {
  const asked = performance.now();
  while (performance.now() - Math.max(asked, lab.lastWrite()) < ms) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await lab.settled();
}

/**
 * Answers a question as a user does: after having read it, and once more if a busy machine gave the program too
 * little time to count it as read.
 */
export async function answer(lab: Lab, question: string, keys: string): Promise<void> {
  const screen = () => lab.rows().join('\n');
  for (let tries = 0; tries < 5; tries++) {
    await lab.waitFor(question);
    await still(lab, READ_MS);
    const asked = screen();
    lab.type(keys);
    await lab.waitFor(() => screen() !== asked, { limitMs: 15_000 }).catch(() => undefined);
    const isEarly = screen().includes('A question is waiting');
    if (screen() !== asked && !isEarly) return;
    // What came too early to be an answer is in the prompt.
    lab.type(CLEAR_PROMPT);
  }
}

/** Declines an approval without a reason. */
export async function decline(lab: Lab, question: string): Promise<void> {
  await answer(lab, question, 'n\r');
  await lab.waitFor('What should it do instead?');
  lab.type('\r');
}

const CLEARS = ['\u001b[2J', '\u001b[3J', '\u001bc', '\u001b[?1049h', '\u001b[?47h', '\u001b[H\u001b[J'];

/** Sequences that would clear the screen or the scrollback. */
export function fullClears(written: string): string[] {
  return CLEARS.filter((clear) => written.includes(clear));
}

/** The parts of a text that a connection delivers in one step each; all of it at once without a rate. */
function slices(text: string, bytesPerSecond: number | undefined): string[] {
  if (bytesPerSecond === undefined) return [text];
  const length = Math.max(1, Math.floor((bytesPerSecond * SLICE_MS) / 1000));
  return text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
}

function withoutEnd(rows: string[]): string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
}
