import path from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { peek } from '../lib/files/peek.ts';
import { isPackageName, moduleEntry, packageFolder } from '../lib/module-entry.ts';
import { sha256 } from '../lib/sha256.ts';
import { isObject } from '../lib/text/json.ts';
import { filesIn } from './extension-files.ts';
import type { ProjectContent } from './project-content.ts';

/** Longer plugin files are represented by their hash in the approval prompt. */
const MAX_SHOWN = 32 * 1024;

/**
 * The code of the plugins in a project's settings: everything it imports by path and, if it computes what it
 * loads, all code beside it and below.
 */
export function pluginFiles(settings: ProjectContent | undefined, root: string): ProjectContent[] {
  const files = new Set<string>();
  for (const place of settings ? namedPlugins(settings) : []) {
    const where = pluginPlace(place, path.dirname(settings?.file ?? root), { root });
    const entry = moduleEntry(where);
    if (entry !== null) addCode(entry, files);
    for (const file of filesIn(path.join(where, 'skills'), 'skill')) files.add(file);
  }
  return [...files].sort().map((file) => ({ name: nameOf(file, root), file, text: shown(peek.text(file)) }));
}

/**
 * A path relative to the settings folder, or where the package is installed; only the name if it is not
 * found.
 */
export function pluginPlace(
  written: string,
  base: string,
  { root, dataRoot }: { root: string; dataRoot?: string },
): string {
  if (!isPackageName(written)) return path.resolve(base, written);
  const own = dataRoot === undefined ? null : packageFolder(written, dataRoot, dataRoot);
  return packageFolder(written, base, root) ?? own ?? written;
}

function namedPlugins({ text }: ProjectContent): string[] {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const plugins = isObject(value) && Array.isArray(value.plugins) ? value.plugins : [];
  return plugins.filter((one) => typeof one === 'string');
}

function addCode(entry: string, files: Set<string>): void {
  const imported = new Set<string>();
  addImports(entry, imported);
  for (const file of imported) files.add(file);
  const computing = [...imported].filter((file) => computes(peek.text(file)));
  if (computing.length > 0) addAll(path.dirname(entry), files);
  for (const file of computing) addAll(path.dirname(file), files);
}

/** The ways to name a module: its name is the last group that matched. */
const NAMED =
  /\b(?:require|import)\s*\(\s*(["'`])([^"'`$\\\n]*)\1\s*\)|(?:\bimport\b[^"'`();]*?)?\bfrom\s*(["'])([^"'$\\\n]*)\3|\bimport\s*(["'])([^"'$\\\n]*)\5/g;
/** What `addImports` follows, and what is not part of the project: modules of Node.js and packages. */
const KNOWN_NAME = /^(\.{1,2}\/|node:|@?[a-z\d][^:]*$)/i;
/** What is left of a module that loads more than it names, or runs text as code. */
const COMPUTED =
  /\b(?:require|import)\b\s*[^\s\w]|\bfrom\s*["']|\b(?:createRequire|eval|dlopen|getBuiltinModule|Worker|_load|_compile)\b|\bFunction\s*\(|\.constructor\s*[([.]/;

function computes(code: string): boolean {
  if (/\bnode:vm\b|["']vm["']/.test(code)) return true;
  const rest = code
    .replaceAll(/\bimport\.meta\b(?!\s*\.\s*resolve)/g, '')
    .replaceAll(NAMED, (whole, _1, called, _2, listed, _3, bare) =>
      KNOWN_NAME.test(called ?? listed ?? bare ?? '') ? '' : `eval ${whole}`,
    );
  return COMPUTED.test(rest);
}

const CODE = /\.([cm]?[jt]sx?|json|node|wasm)$/i;
const NO_CODE = new Set(['.git', 'node_modules']);

function addAll(folder: string, files: Set<string>): void {
  const { files: names, folders } = peek.folder(folder) ?? { files: [], folders: [] };
  for (const name of names) if (CODE.test(name)) files.add(path.join(folder, name));
  for (const name of folders) if (!NO_CODE.has(name)) addAll(path.join(folder, name), files);
}

function addImports(file: string, files: Set<string>): void {
  if (files.has(file)) return;
  files.add(file);
  const written = peek
    .text(file)
    .matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'`])(\.{1,2}\/[^"'`]+)\1/g);
  for (const [, , name = ''] of written) {
    const target =
      moduleEntry(path.resolve(path.dirname(file), name)) ??
      moduleEntry(`${path.resolve(path.dirname(file), name)}.js`);
    if (target !== null) addImports(target, files);
  }
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.length} characters, SHA-256 ${sha256(text)}\n`;
}

function nameOf(file: string, root: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}
