import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject, parseJson } from '../../lib/text/json.ts';

/** Run by npm without being named: before and after others, and when packages are installed or published. */
const AUTOMATIC = /^(pre|post)|^(install|uninstall|prepare|publish|version|dependencies)$/;

/** Settings of programs that run commands at each commit. */
const HOOK_SETTINGS = ['husky', 'simple-git-hooks', 'lint-staged', 'pre-commit', 'pre-push'];
const DEPENDENCIES = /dependencies$|^(overrides|resolutions)$/i;
/** A version comes from the registry; anything else names a place of its own. */
const ELSEWHERE = /^(?!(workspace|catalog|npm|link):)[^\s]*[:/]/;

/**
 * Whether a new version of a `package.json` changes what runs unasked: an existing script does something else, or
 * one was added that npm runs by itself, or a hook, or a package that does not come from the registry. A new script
 * that a person must name is not.
 */
export function changesScripts(before: string | null, after: string): boolean {
  const now = manifestOf(after);
  if (now === null) return true;
  const was = (before === null ? null : manifestOf(before)) ?? {};
  const scripts = partOf(was, 'scripts');
  const isChanged = Object.entries(partOf(now, 'scripts')).some(([name, line]) =>
    Object.hasOwn(scripts, name) ? !isDeepStrictEqual(scripts[name], line) : AUTOMATIC.test(name),
  );
  const setsHook = HOOK_SETTINGS.some((name) => name in now && !isDeepStrictEqual(now[name], was[name]));
  const groups = Object.keys(now).filter((name) => DEPENDENCIES.test(name));
  return isChanged || setsHook || groups.some((name) => addsElsewhere(partOf(was, name), partOf(now, name)));
}

function addsElsewhere(was: Part, now: Part): boolean {
  return Object.entries(now).some(([name, version]) => {
    if (isDeepStrictEqual(was[name], version)) return false;
    return isObject(version) ? addsElsewhere({}, version) : ELSEWHERE.test(String(version));
  });
}

type Part = Readonly<Record<string, unknown>>;

function partOf(manifest: Part, name: string): Part {
  const part = manifest[name];
  return isObject(part) ? part : {};
}

/** Null if it cannot be read. */
function manifestOf(text: string): Part | null {
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  return isObject(parsed) ? parsed : null;
}

/** The text of a file after a call of a writing tool; null if its input does not say. */
export function textAfter(target: string, before: string | null, input: unknown): string | null {
  if (!isObject(input)) return null;
  if (typeof input.content === 'string') return input.content;
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  let text = before;
  for (const edit of edits) {
    const { file_path: file, old_string: old, new_string: fresh } = isObject(edit) ? edit : {};
    if (typeof file === 'string' && path.basename(file) !== path.basename(target)) continue;
    if (text === null || typeof old !== 'string' || typeof fresh !== 'string') return null;
    // A tolerant edit may find its place nevertheless.
    if (old === '' || !text.includes(old)) return null;
    text = text.replaceAll(old, () => fresh);
  }
  return text;
}
