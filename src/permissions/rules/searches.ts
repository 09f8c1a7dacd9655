import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** Whether a command reads whatever is in the folders it is given, or in its own. */
export function searchesFolders(command: SimpleCommand): boolean {
  const words = argsOf(command).map(({ text }) => text);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  switch (programOf(command)) {
    case 'rg':
    case 'ag':
    case 'ack':
    case 'rgrep':
    case 'ugrep':
    case 'diff':
    case 'rsync':
    case 'tar':
      return true;
    case 'grep':
    case 'egrep':
    case 'fgrep':
    case 'cp':
    case 'scp':
    case 'zip':
      return has(/^-[a-zA-Z]*[raR]|^--(recursive|dereference-recursive|archive|directories=recurse)$/);
    case 'git':
      return words.includes('grep') || (words.includes('diff') && has(/^--no-index$/));
    default:
      return false;
  }
}
