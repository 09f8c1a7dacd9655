import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { isErrno, unlessErrno } from '../files/errno.ts';

type Started = {
  cwd: string;
  /** As it was configured; default: what the system was told to start. */
  command?: string;
};

/** Why a program could not be started, without a capital letter and a full stop. */
export function startFailure(error: NodeJS.ErrnoException, { cwd, command }: Started): string {
  const name = command ?? error.path ?? 'it';
  return folderTrouble(cwd) ?? programTrouble(error, { name, cwd });
}

/** What `start` returns. Some failures are thrown, and others are events of the child. */
export function startOrExplain<Child>(start: () => Child, started: Started): Child {
  try {
    return start();
  } catch (error) {
    throw isErrno(error) ? new Error(startFailure(error, started), { cause: error }) : error;
  }
}

/** The system reports a missing folder as if the program were missing. */
function folderTrouble(cwd: string): string | null {
  const stat = unlessErrno('any', undefined, () => statSync(cwd));
  if (!stat) return `the folder ${cwd} does not exist, or you may not enter it`;
  if (!stat.isDirectory()) return `${cwd} is not a folder`;
  const canEnter = unlessErrno('any', false, () => {
    accessSync(cwd, constants.X_OK);
    return true;
  });
  return canEnter ? null : `you may not enter the folder ${cwd}`;
}

function programTrouble(error: NodeJS.ErrnoException, { name, cwd }: { name: string; cwd: string }): string {
  const isPath = /[\\/]/.test(name);
  switch (error.code) {
    case 'ENOENT':
      if (!isPath) return `the program ${name} is not installed, or not in the PATH`;
      return unlessErrno('any', undefined, () => statSync(path.resolve(cwd, name)))
        ? `the program ${name} needs another one that does not exist: check its first line`
        : `the program ${name} does not exist`;
    case 'EACCES':
      return isPath
        ? `you may not run the program ${name}: check its permissions and those of its folder`
        : `the program ${name} was not found in the folders of the PATH that you may enter, or it is not executable`;
    case 'ENOTDIR':
      return `the program ${name} does not exist: a part of its path is not a folder`;
    case 'ENOEXEC':
      return `${name} is not a program for this system`;
    case 'EPERM':
      return `the system does not let you run the program ${name}`;
    case 'E2BIG':
      return `the arguments of the program ${name} are too long`;
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return `the system has no room for another program (${error.code})`;
    default:
      return `the program ${name} could not be started: ${error.message}`;
  }
}
