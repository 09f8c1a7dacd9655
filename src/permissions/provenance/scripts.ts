import path from 'node:path';
import { isObject, parseJson } from '../../lib/text/json.ts';

export const SCRIPTS_BECAUSE = 'npm and other programs run its scripts';

/** Run by npm without being named: before and after others, and when packages are installed or published. */
const AUTOMATIC = /^(pre|post)|^(install|uninstall|prepare|publish|version|dependencies)$/;

/** Whether a path is a `package.json`. */
export function hasScripts(file: string): boolean {
  return path.basename(file).toLowerCase() === 'package.json';
}

/**
 * Whether a new version of a `package.json` changes what runs unasked: an existing script does something else, or
 * one was added that npm runs by itself. A new script that a person must name is not.
 */
export function changesScripts(before: string | null, after: string): boolean {
  const now = scriptsOf(after);
  if (now === null) return true;
  const was = before === null ? {} : (scriptsOf(before) ?? {});
  return Object.entries(now).some(([name, line]) =>
    Object.hasOwn(was, name) ? was[name] !== line : AUTOMATIC.test(name),
  );
}

/** Null if it cannot be read. */
function scriptsOf(text: string): Record<string, unknown> | null {
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isObject(parsed)) return null;
  return isObject(parsed.scripts) ? parsed.scripts : {};
}

/** The text of a file after a call of a writing tool; null if its input does not say. */
export function textAfter(before: string | null, input: unknown): string | null {
  if (!isObject(input)) return null;
  if (typeof input.content === 'string') return input.content;
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  let text = before;
  for (const edit of edits) {
    const { file_path: file, old_string: old, new_string: fresh } = isObject(edit) ? edit : {};
    if (typeof file === 'string' && !hasScripts(file)) continue;
    if (text === null || typeof old !== 'string' || typeof fresh !== 'string') return null;
    // A tolerant edit may find its place nevertheless.
    if (old === '' || !text.includes(old)) return null;
    text = text.replaceAll(old, () => fresh);
  }
  return text;
}
