// What the build needs besides its configuration: the repository root, and files that are copied rather than
// bundled.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

export const { version } = manifest;

/** The oldest version of Node that can run the program, such as 20.19. */
export const nodeNeeded = manifest.engines.node.replace('>=', '');

/** The worker for embedded models is a separate program, started by its file name. */
export const worker = `embedded-worker-${version}`;

/** Files in node_modules that libraries look for next to the running script. */
export const assets = [
  '@hyzyla/pdfium/dist/pdfium.wasm',
  '@silvia-odwyer/photon-node/photon_rs_bg.wasm',
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash/tree-sitter-bash.wasm',
];

/** Production code, whatever NODE_ENV says: the code for development contains the paths of its source files. */
export const jsx = { runtime: 'automatic', importSource: 'preact', development: false };

/** The files that went into a bundle, as paths relative to the repository root. */
export function inputsOf(files) {
  const inputs = files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  return inputs.map((file) => path.relative(root, file).replaceAll('\\', '/'));
}
