import { readOnlyPrograms } from '../rules/read-only.ts';
import type { SimpleCommand, Word } from './shell-line.ts';

type Wrapped = { type: 'command'; command: SimpleCommand } | { type: 'unsure'; because: string };

/**
 * Wrappers that only affect how long or at which priority a command runs: their flags and operand formats.
 */
const SAFE: Readonly<Record<string, { flag: RegExp; values?: string[]; operand?: RegExp }>> = {
  builtin: { flag: /^$/ },
  command: { flag: /^$/ },
  ionice: { flag: /^-c[123]?$|^-n\d$/, values: ['-c', '-n'] },
  nice: { flag: /^-n-?\d+$|^-\d+$/, values: ['-n'] },
  stdbuf: { flag: /^-[ioe][L0-9]\w*$/, values: ['-i', '-o', '-e'] },
  time: { flag: /^-p$/ },
  timeout: {
    flag: /^--(foreground|preserve-status)$|^-[sk].+$|^--(signal|kill-after)=.+$/,
    values: ['-s', '-k', '--signal', '--kill-after'],
    operand: /^\d+(\.\d+)?[smhd]?$/,
  },
  xargs: {
    flag: /^-[0rtx]+$|^-[nLPI].+$|^--(null|no-run-if-empty)$/,
    values: ['-n', '-L', '-P', '-I', '-d'],
  },
};

/** The command behind a harmless wrapper; null if it is not a wrapper. */
export function behindSafeWrapper(
  command: SimpleCommand,
  { hidesFiles }: { hidesFiles: boolean },
): Wrapped | null {
  const [first, ...args] = command.words;
  const name = first?.text ?? '';
  // `command -v node` only prints where it is.
  if (name === 'command' && /^-[vV]$/.test(args[0]?.text ?? ''))
    return asCommand(command, [named('which'), ...args.slice(1)]);
  const wrapper = Object.hasOwn(SAFE, name) ? SAFE[name] : undefined;
  if (wrapper === undefined) return null;
  const rest = [...args];
  let operand = wrapper.operand;
  for (let word = rest[0]; word !== undefined; word = rest[0]) {
    if (!word.literal || word.glob)
      return { type: 'unsure', because: `${name} ${word.raw} can expand to anything` };
    if (wrapper.values?.includes(word.text)) {
      if (!rest[1]?.literal || rest[1].glob)
        return { type: 'unsure', because: `${name} ${word.raw} can expand to anything` };
      rest.splice(0, 2);
    } else if (word.text.startsWith('-')) {
      if (!wrapper.flag.test(word.text))
        return { type: 'unsure', because: `${name} ${word.text} may have side effects` };
      rest.shift();
    } else if (operand !== undefined) {
      if (!operand.test(word.text))
        return { type: 'unsure', because: `unexpected ${name} argument ${word.text}` };
      operand = undefined;
      rest.shift();
    } else break;
  }
  if (rest.length === 0) return { type: 'unsure', because: `${name} runs a command that is not shown` };
  // What xargs adds is unknown, so its command must be one that only prints words, or reads where secrets are hidden.
  const program = rest[0]?.text ?? '';
  const prints =
    Object.hasOwn(readOnlyPrograms, program) && readOnlyPrograms[program]?.expands && program !== 'printf';
  const reads =
    hidesFiles && /^(cat|[ef]?grep|head|tail|wc|ls|stat|file|rg|nl|cksum|(md5|sha\d+)sum)$/.test(program);
  if (name === 'xargs' && !prints && !reads)
    return { type: 'unsure', because: `the arguments of ${program} are unknown` };
  return asCommand(command, rest);
}

function asCommand(command: SimpleCommand, words: Word[]): Wrapped {
  return { type: 'command', command: { ...command, words, name: words[0]?.text ?? '' } };
}

function named(text: string): Word {
  return { text, raw: text, literal: true, glob: false, variables: [], opaque: false, nested: [] };
}
