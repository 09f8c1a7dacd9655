import path from 'node:path';
import { build } from 'vite';

/** Bundles a TypeScript file and its imports into one ES module for any supported Node. */
export async function bundleScript(entry: string, outfile: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      target: 'node20.19',
      minify: false,
      outDir: path.dirname(outfile),
      emptyOutDir: false,
      rolldownOptions: {
        external: ['@vscode/ripgrep', '@napi-rs/keyring'],
        output: { entryFileNames: path.basename(outfile), codeSplitting: false },
        checks: { eval: false },
      },
    },
  });
}
