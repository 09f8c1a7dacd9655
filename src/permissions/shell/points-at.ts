import path from 'node:path';
import type { Word } from './shell-line.ts';

/**
 * Where a word points, as far as known without querying the machine; `~` is the user's home. A trailing glob
 * that matches everything (`/*`, `~/.*`) points at its folder.
 */
export function pointsAt(word: Word, cwd: string): string {
  let text = word.text;
  if (!word.literal) {
    text = text
      .replace(/^(\$HOME|\$\{HOME[^}]*\})(?=\/|$)/, '~')
      .replace(/^(\$PWD|\$\{PWD[^}]*\})(?=\/|$)/, '.');
    text = text.replace(/^\$\{\w+:?[-=](.*)\}$/, '$1');
  } else if (text.startsWith('~')) text = `./${text}`;
  if (word.glob) text = text.replace(/(^|\/)(\.?[*?]+|\*\.\*|\[[^/]*\]\*?)\/?$/, '$1.');

  const base = /^[~/]/.test(text) ? text : `${cwd}/${text}`;
  const flat = path.posix.normalize(base.replaceAll(/\/+/g, '/'));
  // The parent of a home contains other homes.
  if (base.startsWith('~') && /^\.\.?(\/|$)/.test(flat)) return '/home';
  return flat.length > 1 ? flat.replace(/\/$/, '') : flat;
}
