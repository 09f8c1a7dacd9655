// Bundles the VS Code extension into editors/vscode/dist: one file for the host, a script and a style for its view.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { inputsOf, jsx, root } from '../bundle.mjs';
import { licences } from '../licences.mjs';

export const extension = path.join(root, 'editors/vscode');

const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
};
const out = { write: false, minify: true };

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
  oxc: { jsx },
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

/** The files of dist/, by name, and the `inputs` that went into them. */
export async function bundleExtension() {
  const output = [await build(host), await build(webview)].flatMap((result) => result.output);
  const files = Object.fromEntries(
    output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  );
  return { files, inputs: inputsOf(output) };
}

export async function buildExtension() {
  const { files, inputs } = await bundleExtension();
  const folder = path.join(extension, 'dist');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  await writeFile(path.join(extension, 'THIRD-PARTY-LICENSES.txt'), await licences(inputs));
}
