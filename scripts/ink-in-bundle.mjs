// What Ink needs to live in files that load as CommonJS, and to leave the painting to src/frontends/terminal/painter/painter.ts.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** CommonJS cannot wait at its top; what is waited for serves the library's own developers only. */
const WAITS = [
  ["await import('./devtools.js');", ''],
  ['? await loadPackageJson()', '? undefined'],
];

/** Its layout engine would fetch what it holds itself, for which the runtime loads all it has for the web. */
const FETCHES = ['"function"!=typeof fetch', '!0'];

/** @returns {import('esbuild').Plugin} */
export function inkInBundle(root) {
  const instead = {
    // Its layout engine waits at its top for its own compilation.
    '^yoga-layout$': 'src/frontends/terminal/layout-engine.ts',
    // It falls silent when it believes to be watched by nobody; whether it is used at all is decided before.
    '^is-in-ci$': 'scripts/not-in-ci.ts',
    '^\\./log-update\\.js$': 'src/frontends/terminal/ink-log.ts',
  };
  return {
    name: 'ink-in-bundle',
    setup({ onResolve, onLoad }) {
      for (const [name, file] of Object.entries(instead)) {
        onResolve({ filter: new RegExp(name) }, ({ importer }) =>
          /[\\/]node_modules[\\/]ink[\\/]/.test(importer) ? { path: path.join(root, file) } : undefined,
        );
      }
      // One for all who ask, and the real one behind it.
      onResolve({ filter: /^string-width$/ }, ({ importer }) => ({
        path: path.join(
          root,
          /[\\/]scripts[\\/]string-width\.ts$/.test(importer)
            ? 'node_modules/string-width/index.js'
            : 'scripts/string-width.ts',
        ),
      }));
      onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, async ({ path: file }) => {
        let contents = await readFile(file, 'utf8');
        for (const [wait, plain] of WAITS) {
          if (!contents.includes(wait)) throw new Error(`Ink has changed: ${file} no longer says ${wait}`);
          contents = contents.replace(wait, plain);
        }
        return { contents, loader: 'js' };
      });
      onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path: file }) => {
        const contents = await readFile(file, 'utf8');
        const [asks, never] = FETCHES;
        if (!contents.includes(asks)) throw new Error(`Yoga has changed: ${file} no longer says ${asks}`);
        return { contents: contents.replaceAll(asks, never), loader: 'js' };
      });
    },
  };
}
