import type { GitSetting } from '../../lib/paths/git-programs.ts';

/**
 * Reads git's config format. Null for anything unusual, in which git might find something else: such a file
 * is never taken for harmless.
 */
export function parseGitConfig(text: string): GitSetting[] | null {
  const reader = new Reader(text.replace(/^\uFEFF|^\u00EF\u00BB\u00BF/, '').replaceAll('\r\n', '\n'));
  if (text.includes('\0')) return null;
  const settings: GitSetting[] = [];
  let section: string | null = null;
  for (;;) {
    reader.take(/\s*/y);
    if (reader.isAtEnd()) return settings;
    if (reader.take(/[#;][^\n]*/y) !== null) continue;
    if (reader.take(/\[/y) !== null) {
      section = sectionOf(reader);
      if (section === null) return null;
      continue;
    }
    const name = reader.take(/[A-Za-z][A-Za-z0-9-]*/y);
    if (name === null || section === null) return null;
    reader.take(/[ \t\r]*/y);
    const hasValue = reader.take(/=/y) !== null;
    if (!hasValue && !reader.isAtEnd() && reader.take(/\n/y) === null) return null;
    const value = hasValue ? textAfterEquals(reader) : 'true';
    if (value === null) return null;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value });
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What matches here, or null. The pattern is sticky. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }
}

/** After the opening bracket. */
function sectionOf(reader: Reader): string | null {
  const name = reader.take(/[A-Za-z0-9.-]+/y)?.toLowerCase();
  if (name === undefined) return null;
  if (reader.take(/\]/y) !== null) return name;
  if (reader.take(/[ \t\r]+"/y) === null) return null;
  const written = reader.take(/([^"\\\n]|\\[^\n])*/y) ?? '';
  if (reader.take(/"\]/y) === null) return null;
  return `${name}.${written.replaceAll(/\\(.)/gs, '$1')}`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/** After the equals sign, to the end of the line. */
function textAfterEquals(reader: Reader): string | null {
  let value = '';
  /** How much of the value stays when trailing spaces are cut. */
  let kept = 0;
  let isQuoted = false;
  for (;;) {
    if (reader.isAtEnd() || reader.take(/\n/y) !== null) return isQuoted ? null : value.slice(0, kept);
    if (reader.take(/\\\n/y) !== null) {
      kept = value.length;
      continue;
    }
    if (!isQuoted && reader.take(/[#;][^\n]*/y) !== null) continue;
    if (reader.take(/"/y) !== null) {
      isQuoted = !isQuoted;
      kept = value.length;
      continue;
    }
    const escaped = reader.take(/\\[^\n]?/y);
    const part = escaped === null ? reader.take(/[\s\S]/y) : escapes[escaped.slice(1)];
    if (part === undefined || part === null) return null;
    if (value === '' && !isQuoted && escaped === null && /\s/.test(part)) continue;
    value += part;
    if (escaped !== null || isQuoted || !/\s/.test(part)) kept = value.length;
  }
}
