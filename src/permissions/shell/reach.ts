import { type Doubt, isTooLarge } from './doubts.ts';
import { type Budget, newBudget, parseLine } from './parse.ts';
import { pointsAt } from './points-at.ts';
import type { ShellLine, SimpleCommand, Word } from './shell-line.ts';
import { plainWord } from './word.ts';
import { argsOf, programOf, unwrapped } from './wrappers.ts';

/**
 * A command that will run, the same as `written` in its line with its wrappers, and the folder it will run in
 * (`~` is the user's home). `start` is the folder that the whole line starts in.
 */
export type Reached = {
  command: SimpleCommand;
  written: SimpleCommand;
  line: ShellLine;
  cwd: string;
  start: string;
  home: string | null;
};

/** Where a line starts. */
export type Start = { cwd: string; home?: string };

export const SHELLS = new Set([
  ...[
    'sh',
    'bash',
    'rbash',
    'zsh',
    'dash',
    'ksh',
    'ksh93',
    'mksh',
    'yash',
    'fish',
    'ash',
    'csh',
    'tcsh',
    'hush',
  ],
]);
const MAX_DEPTH = 8;
const MAX_REACHED = 2000;

/** Every command that a line would run, however it is wrapped, quoted for another shell or substituted. */
export function reach(line: ShellLine, start: Start): Reached[] {
  return reachWithDoubts(line, start).reached;
}

/** The same, with the reasons why commands may be missing: the line is too long, or nested too deeply. */
export function reachWithDoubts(
  line: ShellLine,
  { cwd, home }: Start,
): { reached: Reached[]; missing: Doubt[] } {
  const found: Reached[] = [];
  const missing = new Set<Doubt>();
  collect(line, cwd, { found, missing, start: cwd, home: home ?? null, budget: newBudget(), depth: 0 });
  return { reached: found, missing: [...missing] };
}

type Collecting = {
  found: Reached[];
  missing: Set<Doubt>;
  start: string;
  home: string | null;
  budget: Budget;
  depth: number;
};

function collect(line: ShellLine, cwd: string, collecting: Collecting): void {
  const { found, missing, start, home, budget, depth } = collecting;
  for (const doubt of line.doubts) if (isTooLarge(doubt)) missing.add(doubt);
  if (depth > MAX_DEPTH) {
    missing.add('too_deep');
    return;
  }
  for (const written of line.commands) {
    const steps = unwrapped(written);
    const scripts = steps.flatMap((step) => scriptsOf(step, { written, line, budget }));
    for (const way of written.folder.ways) {
      const moved = way.reduce((from, move) => pointsAt(move, from), cwd);
      const here = movedByWrapper(steps, moved);
      if (found.length + steps.length > MAX_REACHED) {
        missing.add('too_many_commands');
        return;
      }
      for (const step of steps) {
        found.push({ command: withFed(step, written, line), written, line, cwd: here, start, home });
      }
      for (const inner of [...written.nested, ...scripts])
        collect(inner, here, { ...collecting, depth: depth + 1 });
    }
  }
}

/** `env -C / rm -rf .` */
function movedByWrapper(steps: SimpleCommand[], cwd: string): string {
  let here = cwd;
  for (const step of steps.slice(0, -1)) {
    const at = argsOf(step).findIndex(({ text }) => /^(-C|--chdir)$/.test(text));
    const target = at === -1 ? undefined : argsOf(step)[at + 1];
    if (programOf(step) === 'env' && target !== undefined) here = pointsAt(target, here);
  }
  return here;
}

/** After `echo / | xargs`, the command also receives what was printed. */
function withFed(command: SimpleCommand, written: SimpleCommand, line: ShellLine): SimpleCommand {
  if (programOf(written) !== 'xargs' || command === written) return command;
  const fed = printedInto(written, line);
  if (fed === null) return command;
  return { ...command, words: [...command.words, ...fed.split(/\s+/).filter(Boolean).map(plainWord)] };
}

/** What the previous command certainly prints into it, or null. */
export function printedInto(written: SimpleCommand, line: ShellLine): string | null {
  const before = line.commands[line.commands.indexOf(written) - 1];
  if (before === undefined || before.pipeline !== written.pipeline || before.next !== '|') return null;
  const texts = argsOf(before).map(({ text }) => text);
  const program = programOf(before);
  if (program === 'echo') return texts.filter((text) => !/^-[neE]+$/.test(text)).join(' ');
  if (program === 'printf')
    return texts
      .join(' ')
      .replaceAll('\\n', '\n')
      .replaceAll(/\\x([0-9a-f]{2})/gi, unhex);
  if (program === 'base64' && texts.some((text) => /^(-d|-D|--decode)$/.test(text))) {
    const coded = printedInto(before, line);
    return coded === null ? null : Buffer.from(coded, 'base64').toString('utf8');
  }
  if (program !== 'cat' && program !== 'tee') return null;
  const body = before.redirects.find((redirect) => redirect.body !== undefined || redirect.op === '<<<');
  return body === undefined ? printedInto(before, line) : (body.body ?? body.target.text);
}

function unhex(_: string, code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}

/** Command lines that a command receives as text. */
export function scriptsOf(
  command: SimpleCommand,
  { written, line, budget }: { written: SimpleCommand; line: ShellLine; budget: Budget },
): ShellLine[] {
  const program = programOf(command);
  const args = argsOf(command);
  const texts = args.map(({ text }) => text);
  const scripts: string[] = [];
  if (SHELLS.has(program) || /^(source|\.|at|batch)$/.test(program)) {
    const flag = texts.findIndex((text) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text));
    const script = texts.slice(flag + 1).find((text) => !/^[-+]/.test(text));
    if (flag !== -1 && script !== undefined) scripts.push(script);
    for (const { op, target, body } of written.redirects) {
      if (body !== undefined) scripts.push(body);
      else if (op === '<<<' || target.raw.startsWith('<(')) scripts.push(target.text);
    }
    for (const { raw, text } of args) if (raw.startsWith('<(') && !text.startsWith('$(')) scripts.push(text);
    const fed = printedInto(written, line);
    if (fed !== null && flag === -1) scripts.push(fed);
  }
  if (program === 'eval') scripts.push(texts.join(' '));
  // `watch 'rm -rf x'` passes its words to a shell, whichever of them contain spaces.
  if (command !== written && /\s/.test(command.name))
    scripts.push(command.words.map(({ text }) => text).join(' '));
  if (program === 'trap') scripts.push(texts.find((text) => text !== '--') ?? '');
  if (program === 'alias') scripts.push(...texts.map((text) => text.slice(text.indexOf('=') + 1)));
  if (/^(script|flock|su|sg|runuser|npx|npm|pnpm|nix|expect|xterm|uxterm|konsole)$/.test(program))
    scripts.push(
      ...valuesOf(texts, /^(-\w*c|--command|--call)$/),
      ...gluedValues(texts, /^--(command|call)=/),
    );
  if (/^(nix-shell|xterm|uxterm|konsole|gnome-terminal)$/.test(program))
    scripts.push(...valuesOf(texts, /^(--run|--command|-e)$/));
  if (program === 'git') scripts.push(...runByGit(texts));
  if (program === 'hash') scripts.push(...valuesOf(texts, /^-\w*p$/));
  if (program === 'env') {
    scripts.push(...valuesOf(texts, /^(-\w*S|--split-string)$/));
    scripts.push(...texts.flatMap((text) => /^(?:-[a-z]*S|--split-string=)([\s\S]+)$/.exec(text)?.[1] ?? []));
  }
  const lines = scripts.filter((script) => script.trim() !== '').map((script) => parseLine(script, budget));
  if (/^(g?find|fd|fdfind)$/.test(program)) lines.push(...executedByFind(args));
  return lines;
}

function valuesOf(texts: string[], flag: RegExp): string[] {
  return texts.filter((_, i) => flag.test(texts[i - 1] ?? ''));
}

function gluedValues(texts: string[], flag: RegExp): string[] {
  return texts.filter((text) => flag.test(text)).map((text) => text.replace(flag, ''));
}

/** Settings of git that are command lines. */
const GIT_PROGRAM =
  /^(?:alias\.[^=]*=!|(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|pager\.[^=]*|sequence\.editor|diff\.(?:[^=]*\.)?(?:external|command|textconv)|filter\.[^=]*\.(?:clean|smudge|process)|credential\.(?:[^=]*\.)?helper|gpg\.(?:[^=]*\.)?program)=!?)/i;

/** Commands that git runs because its own command line says so. */
function runByGit(texts: string[]): string[] {
  const at = texts.findIndex((text, i) => text === 'run' && texts[i - 1] === 'bisect');
  const each = texts.findIndex((text, i) => text === 'foreach' && texts[i - 1] === 'submodule');
  const from = Math.max(at, each);
  const rest = from === -1 ? [] : texts.slice(from + 1);
  return [
    rest.slice(rest.findIndex((text) => !text.startsWith('-'))).join(' '),
    ...valuesOf(texts, /^(-x|--exec|--extcmd)$/),
    ...gluedValues(texts, /^--(exec|extcmd)=/),
    ...gluedValues(valuesOf(texts, /^-c$/), GIT_PROGRAM),
  ];
}

function executedByFind(args: Word[]): ShellLine[] {
  return args.flatMap(({ text }, i) => {
    if (!/^(-(exec|execdir|ok|okdir|x|X)|--exec(-batch)?)$/.test(text)) return [];
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
      folder: { ways: [[]], sure: false },
      set: [],
      values: new Map(),
      source: words.map(({ raw }) => raw).join(' '),
    };
    return [{ commands: [command], doubts: [], functions: [], endless: [] }];
  });
}
