import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';

/** The kernel's own limit. */
const MAX_LINKS = 40;

/**
 * Where an absolute path really leads, with all links resolved, even if its end does not exist yet: a
 * dangling link leads to where a write through it would create a file. `..` after a link goes up from the
 * link's target, so the path must be passed as written. Throws on a link loop.
 */
export function realPath(file: string, links = MAX_LINKS): string {
  return existing(file) ?? walkDown(file, links);
}

/** From the root down: the first missing segment ends the walk. */
function walkDown(file: string, links: number): string {
  let place = path.parse(file).root;
  const left = segmentsOf(file).reverse();
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const next = path.join(place, name);
    const target = name === '..' ? null : readLink(next);
    if (target === MISSING) {
      const end = path.join(existing(place) ?? place, name, ...left.toReversed());
      return left.includes('..') ? realPath(end, links) : end;
    }
    if (target === null) place = next;
    else if (links-- === 0) throw new Error('too many links');
    else {
      if (path.isAbsolute(target)) place = path.parse(target).root;
      left.push(...segmentsOf(target).reverse());
    }
  }
  return existing(place) ?? place;
}

function segmentsOf(file: string): string[] {
  return file
    .slice(path.parse(file).root.length)
    .split(path.sep === '\\' ? /[\\/]/ : '/')
    .filter((name) => name !== '' && name !== '.');
}

/** A path joined to a folder, with `..` left for link resolution. Windows removes `..` first. */
export function joined(folder: string, file: string): string {
  if (path.sep === '\\') return path.resolve(folder, file);
  return path.isAbsolute(file) ? file : `${folder}${path.sep}${file}`;
}

function existing(file: string): string | null {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], null, () => realpathSync.native(file));
}

const MISSING = Symbol('nothing there');

/** The target of a link; null for anything else that exists. */
function readLink(file: string): string | null | typeof MISSING {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], MISSING, () => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return MISSING;
    return stat.isSymbolicLink() ? readlinkSync(file) : null;
  });
}
