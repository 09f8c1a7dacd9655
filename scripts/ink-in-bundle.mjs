// What Ink needs to live in files that load as CommonJS, and to leave the painting to src/tui/painter.ts.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** CommonJS cannot wait at its top; what is waited for serves the library's own developers only. */
const WAITS = [
  ["await import('./devtools.js');", ''],
  ['? await loadPackageJson()', '? undefined'],
];

/** @returns {import('esbuild').Plugin} */
export function inkInBundle(root) {
  const instead = {
    // Its layout engine waits at its top for its own compilation.
    '^yoga-layout$': 'src/tui/layout-engine.ts',
    // It falls silent when it believes to be watched by nobody; whether it is used at all is decided before.
    '^is-in-ci$': 'scripts/not-in-ci.ts',
    '^\\./log-update\\.js$': 'src/tui/ink-log.ts',
  };
  return {
    name: 'ink-in-bundle',
    setup({ onResolve, onLoad }) {
      for (const [name, file] of Object.entries(instead)) {
        onResolve({ filter: new RegExp(name) }, ({ importer }) =>
          /[\\/]node_modules[\\/]ink[\\/]/.test(importer) ? { path: path.join(root, file) } : undefined,
        );
      }
      onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, async ({ path: file }) => {
        let contents = await readFile(file, 'utf8');
        for (const [wait, plain] of WAITS) {
          if (!contents.includes(wait)) throw new Error(`Ink has changed: ${file} no longer says ${wait}`);
          contents = contents.replace(wait, plain);
        }
        return { contents, loader: 'js' };
      });
    },
  };
}
