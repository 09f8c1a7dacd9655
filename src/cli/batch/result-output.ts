import { appendFileSync } from 'node:fs';
import { UserError } from '../../contract/errors.ts';
import type { TaskResult } from '../../fleet/task.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { isErrno } from '../../lib/files/errno.ts';

/** Where results go as JSON lines; all of them are kept with the batch in any case. */
export type ResultOutput = {
  /** Throws if the disk refuses it. */
  write(result: TaskResult): void;
  /** Throws if something could not be written. */
  check(): void;
};

/** A file, which must be writable; or standard output, if that is not the terminal. */
export function resultOutput(
  output: string | undefined,
  { stdout, cwd, env, onOutputError }: Terminal,
): ResultOutput {
  if (output !== undefined) {
    const file = resolvePath(output, cwd, env);
    requireWritable(file);
    return { write: (result) => appendFileSync(file, lineOf(result)), check: () => undefined };
  }
  if (stdout.isTTY) return { write: () => undefined, check: () => undefined };
  let lost: NodeJS.ErrnoException | undefined;
  onOutputError?.((error) => {
    lost ??= error;
  });
  const check = () => {
    // A reader such as `head` may leave early: the others are in the file of the batch.
    if (lost && lost.code !== 'EPIPE') throw Object.assign(lost, { path: 'standard output' });
  };
  return {
    check,
    write(result) {
      check();
      if (!lost) stdout.write(lineOf(result));
    },
  };
}

const lineOf = (result: TaskResult): string => `${JSON.stringify(result)}\n`;

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
  EROFS: 'the file system is read-only',
};

function requireWritable(file: string): void {
  try {
    appendFileSync(file, '');
  } catch (error) {
    if (!isErrno(error)) throw error;
    const why = REASONS[error.code ?? ''] ?? error.code;
    throw new UserError(`Results cannot be written to ${file}: ${why}.`, 'Name another file with --output.', {
      cause: error,
    });
  }
}
