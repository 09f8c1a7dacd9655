import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { UserError } from '../../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../../lib/files/errno.ts';
import { makePrivateFolder } from '../../../lib/files/private-folder.ts';
import { openRegularFile } from '../../../lib/files/regular-file.ts';
import { sha256 } from '../../../lib/sha256.ts';

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, in characters that need no escaping in a URL, a cookie or a header. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Secrets are stored and compared as hashes: they are random, so a plain hash cannot be reversed. */
export function hashOf(secret: string): string {
  return sha256(secret);
}

/** In constant time. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

export function tokenFileIn(folder: string): string {
  return path.join(folder, 'token');
}

/**
 * The owner's token, created on first use. Throws if another user owns it or can read it: whoever has the token
 * can run commands as its owner.
 */
export function ownerToken(folder: string): string {
  makePrivateFolder(folder);
  assertPrivate(folder, lstatSync(folder));
  return readToken(folder) ?? createToken(folder);
}

/** Null if there is none. */
export function readToken(folder: string): string | null {
  const file = tokenFileIn(folder);
  // A link could point at a file whose content somebody else chose.
  const flags = constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0);
  const descriptor = unlessErrno(['ENOENT'], null, () => openToken(file, flags));
  if (descriptor === null) return null;
  try {
    assertPrivate(file, fstatSync(descriptor));
    const token = readFileSync(descriptor, 'utf8').trim();
    if (isSecret(token)) return token;
    throw new UserError(`${file} does not contain a token.`, 'Delete it; the next start creates a new one.');
  } finally {
    closeSync(descriptor);
  }
}

function openToken(file: string, flags: number): number {
  try {
    return openRegularFile(file, flags);
  } catch (error) {
    if (!isErrno(error, ['ELOOP'])) throw error;
    throw new UserError(
      `${file} is a link, which is not followed: its owner could choose the token.`,
      'Remove it; the next start creates a file with a new token.',
    );
  }
}

/** Atomic: if two processes create it at once, both get the first one's. */
function createToken(folder: string): string {
  const file = tokenFileIn(folder);
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${newSecret()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (!isErrno(error, ['EEXIST'])) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const token = readToken(folder);
  if (token === null) throw new Error(`${file} disappeared while it was being created.`);
  return token;
}

function assertPrivate(file: string, { mode, uid }: { mode: number; uid: number }): void {
  if (process.platform === 'win32') return;
  if (uid !== process.getuid?.())
    throw new UserError(
      `${file} belongs to another user.`,
      'Remove it, or set AI_ASSISTANT_HOME to a folder of your own.',
    );
  if ((mode & 0o077) !== 0)
    throw new UserError(
      `Other users can access ${file}.`,
      `If nobody may have read it, run: chmod go= '${file}'. Otherwise delete it; the next start creates a new one.`,
    );
}
