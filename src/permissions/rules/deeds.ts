import { pointsAt } from '../shell/points-at.ts';
import type { Reached } from '../shell/reach.ts';
import type { SimpleCommand, Word } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';
import { isVital, isVitalFile } from './vital-paths.ts';

const BLOCK_DEVICE =
  /^\/dev\/((sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|sr|nbd)[\w-]*|mapper\/.+|disk\/.+)$/;
const HARMLESS_DEVICE = /^\/dev\/(null|zero|full|stdout|stderr|tty|fd\/\d+)$/;
const DRIVE = /^[a-z]:[\\/]*\*?$/i;

export function startsAsOther({ command }: Reached): boolean {
  return /^(sudo|sudoedit|doas|su|pkexec|run0|runuser|gosu)$/.test(programOf(command));
}

/** Also in the words that `find / | xargs` would pass on. */
export function deletesVital(reached: Reached): boolean {
  const { command, line, written } = reached;
  const program = programOf(command).toLowerCase();
  const { flags, operands } = splitArgs(command);
  const isVitalTo = vitalTo(reached);
  switch (program) {
    case 'rm':
    case 'srm':
      if (!isRecursive(flags)) return false;
      if (flags.includes('--no-preserve-root') || operands.some(isVitalTo)) return true;
      return isFedVital(written, line.commands, isVitalTo);
    case 'mv':
      return operands.slice(0, -1).some(isVitalTo);
    case 'rsync':
      return flags.some((flag) => /^--del/.test(flag)) && operands.slice(-1).some(isVitalTo);
    case 'shred':
      return operands.some(isVitalTo);
    case 'find':
      return findDeletes(command) && operands.some(isVitalTo);
    case 'remove-item':
    case 'ri':
    case 'rd':
    case 'del':
    case 'erase':
    case 'format':
      return operands.some(({ raw }) => DRIVE.test(raw));
    default:
      return false;
  }
}

function findDeletes(command: SimpleCommand): boolean {
  const texts = command.words.map(({ text }) => text);
  return texts.some(
    (text, i) =>
      text === '-delete' ||
      (/^-(exec|ok)/.test(texts[i - 1] ?? '') && /(^|\/)(rm|shred|unlink|chmod|chown)$/.test(text)),
  );
}

/** System folders, the user's home, and all parents of the working directory. */
function vitalTo({ cwd, start, home }: Reached): (word: Word) => boolean {
  return (word) => {
    const target = pointsAt(word, cwd);
    if (isVital(target)) return true;
    const isHome = home !== null && (target === home || home.startsWith(`${target}/`));
    return isHome || start.startsWith(`${target}/`);
  };
}

/** `find / | xargs rm -rf`. */
function isFedVital(
  written: SimpleCommand,
  commands: SimpleCommand[],
  isVitalTo: (word: Word) => boolean,
): boolean {
  if (programOf(written) !== 'xargs') return false;
  const before = commands[commands.indexOf(written) - 1];
  const feeds = before?.pipeline === written.pipeline && /^(find|ls)$/.test(programOf(before));
  const herestring = written.redirects.some(({ op, target }) => op === '<<<' && isVitalTo(target));
  return herestring || (feeds && splitArgs(before).operands.some(isVitalTo));
}

export function writesDevice({ command }: Reached): boolean {
  return writtenTo(command).some((word) => {
    const target = pointsAt(word, '.');
    if (programOf(command) === 'dd') return target.startsWith('/dev/') && !HARMLESS_DEVICE.test(target);
    return BLOCK_DEVICE.test(target);
  });
}

export function writesVital({ command, cwd }: Reached): boolean {
  const deletes = /^(rm|unlink|shred|truncate|mv)$/.test(programOf(command))
    ? splitArgs(command).operands
    : [];
  const sources = programOf(command) === 'mv' ? deletes.slice(0, -1) : deletes;
  return [...writtenTo(command), ...sources].some((word) => isVitalFile(pointsAt(word, cwd)));
}

/** What a command writes: its redirect targets, and the targets among its arguments. */
function writtenTo(command: SimpleCommand): Word[] {
  const redirected = command.redirects
    .filter(({ op }) => op.includes('>') && !op.endsWith('&'))
    .map(({ target }) => target);
  const { operands } = splitArgs(command);
  switch (programOf(command)) {
    case 'dd':
      return [
        ...redirected,
        ...operands
          .filter(({ text }) => text.startsWith('of='))
          .map((word) => ({ ...word, text: word.text.slice(3) })),
      ];
    case 'tee':
    case 'shred':
    case 'truncate':
    case 'badblocks':
      return [...redirected, ...operands];
    case 'cp':
    case 'mv':
    case 'install':
    case 'ddrescue':
      return [...redirected, ...operands.slice(-1)];
    default:
      return redirected;
  }
}

export function opensToAll(reached: Reached): boolean {
  const { command } = reached;
  const program = programOf(command);
  if (!/^(chmod|chown|chgrp)$/.test(program)) return false;
  const { flags, operands } = splitArgs(command);
  const [mode, ...files] = operands;
  const isVitalTo = vitalTo(reached);
  if (isRecursive(flags) && files.some(isVitalTo)) return true;
  if (program !== 'chmod' || mode === undefined) return false;
  if (/^([0-7]?777|(a|ugo|[ugo]*a[ugo]*)[+=]rwx)$/.test(mode.text)) return true;
  return /^([augo]*[ao][augo]*[+=][rx]*w|[0-7]?[0-7]{2}[2367]$)/.test(mode.text) && files.some(isVitalTo);
}

export function endsMachine({ command }: Reached): boolean {
  const texts = argsOf(command).map(({ text }) => text);
  switch (programOf(command)) {
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return !texts.some((text) => /^(--help|--version)$/.test(text));
    case 'init':
    case 'telinit':
      return texts.some((text) => /^[06]$/.test(text));
    case 'systemctl':
      return texts.some((text) => /^(poweroff|reboot|halt|kexec|rescue|emergency)$/.test(text));
    case 'kill':
      return texts.slice(1).includes('-1');
    default:
      return false;
  }
}

function splitArgs(command: SimpleCommand) {
  const args = argsOf(command);
  const dashes = args.findIndex(({ text }) => text === '--');
  const isFlag = (i: number, text: string) =>
    text.startsWith('-') && text !== '-' && (dashes === -1 || i < dashes);
  return {
    flags: args.flatMap(({ text }, i) => (isFlag(i, text) ? [text] : [])),
    operands: args.filter(({ text }, i) => i !== dashes && !isFlag(i, text)),
  };
}

/** Long options may be abbreviated. */
function isRecursive(flags: string[]): boolean {
  return flags.some((flag) => /^-[a-zA-Z]*[rR]/.test(flag) || /^--r/.test(flag));
}
