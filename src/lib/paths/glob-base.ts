import path from 'node:path';

const MAGIC = /[*?[\]{}()!]/;

/**
 * Splits a pattern with its own location (`/srv/app/src/*.ts`, `../lib/*.js`) into that folder and the
 * pattern within it. Other patterns are returned unchanged, without a base.
 */
export function splitGlob(pattern: string): { base?: string; pattern: string } {
  const plain = pattern.replace(/^(\.\/+)+/, '');
  if (!path.isAbsolute(plain) && !/^\.\.(\/|$)/.test(plain) && !plain.startsWith('~/'))
    return { pattern: plain };

  const segments = plain.split('/');
  const firstMagic = segments.findIndex((segment) => MAGIC.test(segment));
  const cut = firstMagic === -1 ? segments.length - 1 : firstMagic;
  const base = segments.slice(0, cut).join('/');
  return { base: base === '' ? '/' : base, pattern: segments.slice(cut).join('/') };
}
