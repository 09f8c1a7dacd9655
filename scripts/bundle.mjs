// What the build needs besides its configuration: where the repository is, and what is copied rather than bundled.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
export const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** The thread that runs embedded models is a program of its own, started by the name of its file. */
export const worker = `embedded-worker-${version}`;

/** What the libraries look for beside the file they are called from; in node_modules. */
export const assets = [
  '@hyzyla/pdfium/dist/pdfium.wasm',
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash/tree-sitter-bash.wasm',
];
