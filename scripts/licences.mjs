// The licences of bundled packages, and the packages themselves.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './bundle.mjs';

const NAMES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'LICENSE-MIT'];

/** Folders of the packages among these bundle inputs, sorted. */
export function packagesOf(inputs) {
  const folders = inputs.flatMap((input) => input.match(/^(node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * The licence text of every bundled package. `more` are texts of what was included by other means than an
 * import.
 */
export async function licences(inputs, more = []) {
  const packages = packagesOf(inputs);
  const texts = [...more];
  if (packages.includes('node_modules/@hyzyla/pdfium'))
    texts.unshift(await readFile(path.join(root, 'scripts/licences/pdfium.txt'), 'utf8'));
  for (const folder of packages) {
    const manifest = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
    texts.push(
      `${manifest.name} ${manifest.version} (${manifest.license})\n\n${(await licenceIn(path.join(root, folder))) ?? 'No licence file in the package.'}\n`,
    );
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The text of a package's licence file; null when it has none. */
export async function licenceIn(folder) {
  for (const name of NAMES) {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => null);
    if (text !== null) return text;
  }
  return null;
}
