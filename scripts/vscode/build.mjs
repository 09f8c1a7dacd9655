// Bundles the VS Code extension into editors/vscode/dist: one file for the host, a script and a style for its view.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { inputsOf, root } from '../bundle.mjs';
import { licences } from '../licences.mjs';

export const extension = path.join(root, 'editors/vscode');

const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
};
const out = {
  outDir: path.join(extension, 'dist'),
  emptyOutDir: false,
  minify: true,
  reportCompressedSize: false,
};

/** Runs in the editor's Node, which provides `vscode`. */
const host = {
  ...shared,
  ssr: { noExternal: true },
  build: {
    ...out,
    ssr: true,
    target: 'node20',
    rolldownOptions: {
      input: path.join(extension, 'src/extension.ts'),
      external: ['vscode'],
      checks: { bundlerTimings: false },
      output: { format: 'cjs', entryFileNames: 'extension.cjs', codeSplitting: false },
    },
  },
};

/** Runs in the browser part of the editor. */
const webview = {
  ...shared,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    ...out,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      input: path.join(extension, 'webview/main.tsx'),
      checks: { bundlerTimings: false },
      output: {
        format: 'es',
        entryFileNames: 'webview.js',
        assetFileNames: 'webview[extname]',
        codeSplitting: false,
      },
    },
  },
};

export async function buildExtension() {
  await rm(out.outDir, { recursive: true, force: true });
  await mkdir(out.outDir, { recursive: true });
  const results = [await build(host), await build(webview)];
  const inputs = results.flatMap(({ output }) => inputsOf(output));
  await writeFile(path.join(extension, 'THIRD-PARTY-LICENSES.txt'), await licences(inputs));
}
