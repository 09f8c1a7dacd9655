import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';

/** Without it, opening a pipe blocks until its other end is opened. Windows has no such files. */
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;

/** Has the error code that the system uses for a socket. */
export class NotRegularFileError extends Error {
  readonly code = 'ENXIO';

  constructor(file: string) {
    super(`${file} is a pipe, a socket or a device, not a regular file.`);
  }
}

/**
 * Opens a regular file; the caller closes it. A pipe, a socket or a device fails at once with ENXIO instead
 * of blocking. The open file is checked, so there is no race with a replaced path.
 */
export function openRegularFile(file: string, flags: number = constants.O_RDONLY): number {
  const descriptor = openSync(file, flags | NO_WAIT, 0o600);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() && !stat.isDirectory()) throw new NotRegularFileError(file);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** For appending and reading; created if missing. */
export function openToAppend(file: string): number {
  return openRegularFile(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
}

export function appendRegularText(file: string, text: string): void {
  const descriptor = openToAppend(file);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Like `readFileSync`, but never blocks on what is not a regular file. */
export function readRegularFile(file: string): Buffer {
  const descriptor = openRegularFile(file);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function readRegularText(file: string): string {
  return readRegularFile(file).toString('utf8');
}
