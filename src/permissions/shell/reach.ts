import { parseLine, type ShellLine, type SimpleCommand } from './parse.ts';
import { pointsAt } from './points-at.ts';
import type { Word } from './words.ts';

/**
 * A command that will run, the same as it is `written` in its line, wrappers included, and the folder it will run
 * in (`~` is the user's home).
 */
export type Reached = { command: SimpleCommand; written: SimpleCommand; line: ShellLine; cwd: string };

/** Flags that take the next word with them, and how many operands stand before the wrapped command. */
type Wrapper = { values: string[]; operands?: number };

const WRAPPERS = new Map<string, Wrapper>(
  Object.entries<Wrapper>({
    builtin: { values: [] },
    busybox: { values: [] },
    chrt: { values: [], operands: 1 },
    command: { values: [] },
    env: { values: ['-u', '--unset', '-C', '--chdir'] },
    exec: { values: ['-a'] },
    flock: { values: ['-w', '--timeout', '-E'], operands: 1 },
    ionice: { values: ['-c', '-n', '-p'] },
    nice: { values: ['-n', '--adjustment'] },
    nohup: { values: [] },
    setsid: { values: [] },
    stdbuf: { values: ['-i', '-o', '-e'] },
    taskset: { values: [], operands: 1 },
    time: { values: ['-f', '-o'] },
    timeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
    toybox: { values: [] },
    unbuffer: { values: [] },
    watch: { values: ['-n', '--interval'] },
    xargs: { values: ['-n', '-I', '-P', '-L', '-d', '-E', '-s', '-a'] },
  }),
);

export const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'fish', 'ash', 'csh', 'tcsh']);
const MAX_DEPTH = 8;

/** Every command a line would run, however it is wrapped, quoted for another shell or substituted. */
export function* reach(line: ShellLine, cwd: string, depth = 0): Generator<Reached> {
  let here = cwd;
  for (const written of line.commands) {
    const command = unwrap(written);
    yield { command, written, line, cwd: here };
    if (depth < MAX_DEPTH) {
      for (const inner of [...command.nested, ...scriptsOf(command)]) yield* reach(inner, here, depth + 1);
    }
    if (command.name === 'cd' || command.name === 'pushd') {
      const [, target] = command.words;
      here = target === undefined ? '~' : pointsAt(target, here);
    }
  }
}

/** `/usr/bin/rm` and `rm` are one program. */
export function programOf(command: SimpleCommand): string {
  return command.name.slice(command.name.lastIndexOf('/') + 1);
}

export function argsOf(command: SimpleCommand): Word[] {
  return command.words.slice(1);
}

/** The command that `env`, `timeout`, `xargs` and the like run in the end. */
export function unwrap(command: SimpleCommand): SimpleCommand {
  let current = command;
  for (let wrapper = WRAPPERS.get(programOf(current)); wrapper !== undefined; ) {
    const rest = behindWrapper(argsOf(current), wrapper);
    if (rest.length === 0 || rest.length >= current.words.length) return current;
    current = { ...current, name: rest[0]?.text ?? '', words: rest };
    wrapper = WRAPPERS.get(programOf(current));
  }
  return current;
}

function behindWrapper(args: Word[], { values, operands = 0 }: Wrapper): Word[] {
  let at = 0;
  let left = operands;
  while (at < args.length) {
    const text = args[at]?.text ?? '';
    if (values.includes(text)) at += 2;
    else if (text.startsWith('-') || /^[A-Za-z_]\w*=/.test(text)) at += 1;
    else if (left > 0) {
      left -= 1;
      at += 1;
    } else break;
  }
  return args.slice(at);
}

/** Command lines that a command receives as text. */
function scriptsOf(command: SimpleCommand): ShellLine[] {
  const program = programOf(command);
  const args = argsOf(command);
  const texts = args.map(({ text }) => text);
  const scripts: string[] = [];
  if (SHELLS.has(program)) {
    const flag = texts.findIndex((text) => /^-[a-z]*c[a-z]*$/.test(text));
    const script = texts.slice(flag + 1).find((text) => !/^[-+]/.test(text));
    if (flag !== -1 && script !== undefined) scripts.push(script);
    for (const { op, target, body } of command.redirects) {
      if (body !== undefined) scripts.push(body);
      else if (op === '<<<') scripts.push(target.text);
    }
  }
  if (program === 'eval' || program === 'watch') scripts.push(texts.join(' '));
  if (program === 'trap') scripts.push(texts[0] ?? '');
  if (program === 'env')
    scripts.push(...texts.filter((_, i) => /^(-S|--split-string)$/.test(texts[i - 1] ?? '')));
  const lines = scripts.map((script) => parseLine(script, 1));
  if (program === 'find') lines.push(...executedByFind(args));
  return lines;
}

function executedByFind(args: Word[]): ShellLine[] {
  return args.flatMap(({ text }, i) => {
    if (!/^-(exec|execdir|ok|okdir)$/.test(text)) return [];
    const rest = args.slice(i + 1);
    const end = rest.findIndex((word) => word.text === ';' || word.text === '+');
    const words = end === -1 ? rest : rest.slice(0, end);
    const command: SimpleCommand = {
      name: words[0]?.text ?? '',
      words,
      assignments: [],
      redirects: [],
      pipeline: 0,
      next: null,
      nested: [],
    };
    return [{ commands: [command], doubts: [], functions: [] }];
  });
}
