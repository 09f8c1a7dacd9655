import { UserError } from '../contract/errors.ts';
import { didYouMean } from '../lib/text/nearest.ts';
import { isKnownKey, keysAt } from './schema/reference.ts';
import { keyAliases } from './schema/schema.ts';

const SEGMENT = /(?:^|\.)([^.[\]"]+)|\["((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)"\]/uy;
const MAX_SHOWN = 120;

/** Splits `a.b` and `models["openai/gpt-4.1"].price` into names; a name with a dot needs brackets. */
export function parseKeyPath(text: string): string[] {
  const names: string[] = [];
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < text.length) {
    const match = SEGMENT.exec(text);
    if (match === null) {
      throw new UserError(
        `${text} is not a setting name.`,
        'Separate names with dots, as in permissions.allow; quote names that contain dots, as in models["openai/gpt-4.1"].',
      );
    }
    names.push(match[1] ?? (JSON.parse(`"${match[2]}"`) as string));
  }
  return names;
}

/** Safe to print: names may come from untrusted files, so control characters are escaped. */
export function formatKeyPath(path: readonly PropertyKey[]): string {
  const text = path.map((name, i) => formatName(name, i === 0)).join('');
  const printable = text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return printable.length > MAX_SHOWN ? `${printable.slice(0, MAX_SHOWN)}…` : printable;
}

function formatName(name: PropertyKey, first: boolean): string {
  if (typeof name === 'number') return `[${name}]`;
  const text = String(name);
  if (/[.[\]"]/.test(text) || text === '') return `[${JSON.stringify(text)}]`;
  return first ? text : `.${text}`;
}

/** The path of an existing setting, aliases resolved. */
export function knownKeyPath(text: string): string[] {
  const [first = '', ...rest] = parseKeyPath(text);
  const alias = Object.hasOwn(keyAliases, first) ? keyAliases[first] : undefined;
  if (alias?.negate) {
    throw new UserError(
      `${first} is set through ${alias.key}.`,
      `Use ${alias.key}, with the opposite value.`,
    );
  }
  const path = [alias?.key ?? first, ...rest];
  for (let length = 1; length <= path.length; length++) {
    if (isKnownKey(path.slice(0, length))) continue;
    const siblings = keysAt(path.slice(0, length - 1));
    const prefix = length === 1 ? '' : `${formatKeyPath(path.slice(0, length - 1))}.`;
    const suggestion = didYouMean(
      prefix + path[length - 1],
      siblings.map((key) => prefix + key),
    );
    throw new UserError(
      `There is no setting ${formatKeyPath(path)}.${suggestion}`,
      siblings.length > 0 && length > 1
        ? `${formatKeyPath(path.slice(0, length - 1))} has: ${siblings.join(', ')}.`
        : 'Run `aca config show` to see all settings, or `aca config schema` for their descriptions.',
    );
  }
  return path;
}
