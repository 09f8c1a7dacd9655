import { type Reached, SHELLS } from '../shell/reach.ts';
import type { ShellLine, SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf, unwrap } from '../shell/wrappers.ts';

const DOWNLOADERS = new Set(['curl', 'wget', 'fetch', 'aria2c', 'http', 'https', 'xh', 'lynx']);
const INTERPRETERS = /^(python[\d.]*|perl|ruby|node|nodejs|bun|deno|php|lua|osascript|pwsh|tclsh|Rscript)$/;

/** Runs code from the network: piped in, substituted, or just downloaded. */
export function runsDownload(reached: Reached): boolean {
  const { command, written, line } = reached;
  const program = programOf(command);
  if (runsSaved(reached)) return true;
  const [first] = command.words;
  if (first !== undefined && !first.literal && first.nested.some(downloads)) return true;
  const runsText = SHELLS.has(program) || INTERPRETERS.test(program) || /^(eval|source|\.)$/.test(program);
  if (runsText && command.nested.some(downloads)) return true;
  if (!runsText || !runsItsInput(command)) return false;
  const before = line.commands.slice(0, line.commands.indexOf(written));
  return before.some((other) => other.pipeline === written.pipeline && downloadsItself(other));
}

function downloads(line: ShellLine): boolean {
  return line.commands.some(downloadsItself);
}

function downloadsItself(command: SimpleCommand): boolean {
  return DOWNLOADERS.has(programOf(unwrap(command))) || command.nested.some(downloads);
}

/** An interpreter without a script runs its input; with `-c`, `-e` or `-m` the input is data. */
function runsItsInput(command: SimpleCommand): boolean {
  const texts = argsOf(command).map(({ text }) => text);
  if (texts.some((text) => /^-[a-z]*s$/.test(text))) return true;
  if (texts.some((text) => /^-[a-zA-Z]*[cem]$/.test(text) || /^--(eval|print)\b/.test(text))) {
    // `xargs sh -c` turns its input into a script.
    return /^-[a-zA-Z]*c$/.test(texts.at(-1) ?? '');
  }
  const script = texts.find((text) => !/^[-+]./.test(text));
  return script === undefined || /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(script);
}

function runsSaved({ command, written, line }: Reached): boolean {
  const program = programOf(command);
  const runs = SHELLS.has(program) || INTERPRETERS.test(program) || /^(source|\.|chmod)$/.test(program);
  const candidates = runs ? argsOf(command).map(({ text }) => text) : [];
  const run = new Set([command.name, ...(program === 'chmod' ? [] : candidates)].map(plainName));
  const before = line.commands.slice(0, line.commands.indexOf(written));
  return before.some((other, i) => savedBy(other, before.slice(i)).some((file) => run.has(plainName(file))));
}

/** The files that a download is saved to. */
function savedBy(command: SimpleCommand, others: SimpleCommand[]): string[] {
  if (!downloadsItself(command)) return [];
  const inner = unwrap(command);
  const texts = argsOf(inner).map(({ text }) => text);
  const named = texts.flatMap((text, i) => {
    if (/^(-\w*[oO]|--output|--output-document)$/.test(texts[i - 1] ?? '')) return [text];
    const [, glued] = /^(?:--output(?:-document)?=|-[oO])(.+)$/.exec(text) ?? [];
    return glued === undefined ? [] : [glued];
  });
  const keepsName = programOf(inner) === 'wget' || texts.some((text) => /^-\w*O$|^--remote-name$/.test(text));
  const remote = keepsName ? texts.map((text) => text.slice(text.lastIndexOf('/') + 1)) : [];
  const piped = others.filter(({ pipeline }) => pipeline === command.pipeline);
  const redirected = piped.flatMap(({ redirects }) =>
    redirects.filter(({ op }) => op.includes('>')).map(({ target }) => target.text),
  );
  const teed = piped
    .filter((one) => programOf(one) === 'tee')
    .flatMap((one) => argsOf(one).map(({ text }) => text));
  return [...named, ...remote, ...redirected, ...teed].filter(
    (file) => /[^-]/.test(file) && file !== '/dev/null',
  );
}

function plainName(file: string): string {
  return file.replace(/^(\.\/)+/, '');
}
