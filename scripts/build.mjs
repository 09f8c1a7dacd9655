// Bundles src/ into dist/: a tiny entry, and chunks that load on first use.
// --quiet prints nothing on success; --types also writes the public type declarations; --outdir DIR goes elsewhere.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { assets, bundled, preparedConstants, root } from './bundle.mjs';
import { licences } from './licences.mjs';

const outdir = process.argv.indexOf('--outdir');
const dist = path.resolve(root, outdir === -1 ? 'dist' : process.argv[outdir + 1]);

const MODULE_URL = 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;';

/** Stands for a file until something of it is used; from then on the file's exports are behind it as they are. */
const LAZY = `const __lazy=load=>{
  const face=Object.create(new Proxy({},{get(_,name){
    const real=load();
    Object.setPrototypeOf(face,real);
    return real[name];
  }}));
  return face;
};`.replaceAll(/\n\s*/g, '');

const shared = { ...bundled, outdir: dist };

// The thread that holds the runtime of embedded models: a program of its own, started by its file's name.
const thread = await build({
  ...shared,
  entryPoints: { 'embedded-worker': 'src/embedded/worker.ts' },
  write: false,
  format: 'cjs',
  entryNames: 'chunks/[name]-[hash]',
  outExtension: { '.js': '.cjs' },
});
const threadName = path.basename(thread.outputFiles[0].path);

const app = await build({
  ...shared,
  define: {
    ...shared.define,
    ...(await preparedConstants()),
    EMBEDDED_WORKER: JSON.stringify(threadName),
  },
  entryPoints: { app: 'src/cli/run.ts', index: 'src/index.ts' },
  // To touch this global loads the runtime's tables of languages.
  inject: ['scripts/segmenter-global.ts'],
  write: false,
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  // Every name tells its content, so that a program started during an update never loads a file of another build.
  entryNames: 'chunks/[name]-[hash]',
  chunkNames: 'chunks/[name]-[hash]',
  // Packages that bring a binary; everything else is in the bundle.
  external: ['@vscode/ripgrep', '@napi-rs/keyring'],
});
const code = await Promise.all(app.outputFiles.map(asCommonJs));

// The entry is alone: it says the version without loading anything.
const entry = await build({
  ...shared,
  define: {
    ...shared.define,
    APP_FILE: JSON.stringify(relativeName(path.join(dist, 'main.cjs'), outputOf('src/cli/run.ts').file)),
    SCREEN_FILES: JSON.stringify(screenFiles()),
    CODE_FINGERPRINTS: JSON.stringify(Object.fromEntries(code.map(fingerprint))),
  },
  entryPoints: { main: 'src/cli/main.ts' },
  write: false,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'kept-code',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/run\.ts$/ }, () => ({ path: path.join(root, 'src/cli/kept-run.ts') })),
    },
  ],
});
const inputs = [app, thread, entry].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const outputs = [...code, ...thread.outputFiles, ...entry.outputFiles, importable(outputOf('src/index.ts'))];

await mkdir(path.join(dist, 'chunks'), { recursive: true });
for (const file of outputs) await writeFile(file.path, file.text);
await writeFile(path.join(dist, 'chunks', 'contents.json'), JSON.stringify(contents()));

// What is left of an earlier build goes last, so that a program started meanwhile still finds its parts.
const written = new Set(outputs.map((file) => file.path));
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  if (entry.isFile() && /\.c?js$/.test(file) && !written.has(file)) await rm(file);
}

// What the libraries look for beside the file they are called from.
for (const file of assets) {
  await copyFile(path.join(root, 'node_modules', file), path.join(dist, 'chunks', path.basename(file)));
}
await chmod(path.join(dist, 'main.cjs'), 0o755);
await writeFile(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), await licences(inputs));
if (process.argv.includes('--types')) {
  execFileSync(
    process.execPath,
    [path.join(root, 'scripts/run-ts.mjs'), 'scripts/types.ts', path.join(dist, 'types')],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
}
if (!process.argv.includes('--quiet')) {
  const bytes = outputs.reduce((sum, { text }) => sum + text.length, 0);
  console.log(`${(bytes / 1e6).toFixed(1)} MB in ${outputs.length} files`);
}

/**
 * One file of the split bundle as CommonJS. Only ES modules can be split by the bundler; only CommonJS can be compiled
 * with the code an earlier process kept. Code compiled so cannot import(): the loader does it in its place.
 */
async function asCommonJs(output) {
  const { imports } = app.metafile.outputs[metafileKey(output.path)];
  let source = output.text;
  for (const { path: target, kind, external } of imports) {
    const written = external ? target : relativeName(output.path, path.resolve(root, target));
    const name = external ? target : asCjs(written);
    if (kind !== 'dynamic-import') {
      source = source
        .replaceAll(`from"${written}"`, `from"${name}"`)
        .replaceAll(`import"${written}"`, `import"${name}"`);
    } else if (external) {
      source = source.replaceAll(`import("${written}")`, `(module.outside??(name=>import(name)))("${name}")`);
    } else {
      source = source.replaceAll(`import("${written}")`, `Promise.resolve().then(()=>require("${name}"))`);
    }
  }
  const { code: text } = await transform(source, {
    format: 'cjs',
    platform: 'node',
    target: shared.target,
    minify: true,
    define: { 'import.meta.url': '__moduleUrl' },
    // Modules are strict without saying so.
    banner: `"use strict";${source.includes('import.meta.url') ? MODULE_URL : ''}`,
  });
  const named = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  const needed = named.map(({ path: target }) =>
    asCjs(relativeName(output.path, path.resolve(root, target))),
  );
  return { path: asCjs(output.path), text: lazily(text, needed) };
}

/** A file that is only named, for what may be needed of it one day, is not loaded yet; one of which nothing is, is. */
function lazily(text, needed) {
  const lazy = needed.reduce(
    (soFar, name) => soFar.replaceAll(`=require("${name}")`, `=__lazy(()=>require("${name}"))`),
    text,
  );
  return lazy.replace('"use strict";', `"use strict";${LAZY}`);
}

function asCjs(file) {
  return file.replace(/\.js$/, '.cjs');
}

function relativeName(from, to) {
  const name = path.relative(path.dirname(from), to).replaceAll('\\', '/');
  return name.startsWith('.') ? name : `./${name}`;
}

function metafileKey(file) {
  return path.relative(root, file).replaceAll('\\', '/');
}

function fingerprint(file) {
  const hash = createHash('sha256').update(file.text).digest('hex').slice(0, 16);
  return [path.basename(file.path), hash];
}

/** All that is loaded before the screen is painted: what others need comes first, so that each is loaded alone. */
function screenFiles() {
  const ordered = new Set();
  const visit = (file) => {
    if (ordered.has(file)) return;
    for (const { path: needed, kind, external } of app.metafile.outputs[file].imports)
      if (kind === 'import-statement' && !external) visit(needed);
    ordered.add(file);
  };
  for (const entryPoint of [
    'src/cli/run.ts',
    'src/cli/frontends.ts',
    'src/frontends/terminal/terminal-conversation.ts',
    'src/frontends/terminal/screen.ts',
  ])
    visit(metafileKey(outputOf(entryPoint).file.replace(/\.cjs$/, '.js')));
  return [...ordered].map((file) =>
    relativeName(path.join(dist, 'main.cjs'), asCjs(path.resolve(root, file))),
  );
}

/** What is in each file by size, the largest first: its name does not tell. For those who look at a start. */
function contents() {
  const nameOf = (input) =>
    input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/)?.[1] ?? input;
  return Object.fromEntries(
    Object.entries(app.metafile.outputs).map(([file, { inputs }]) => {
      const sizes = new Map();
      for (const [input, { bytesInOutput }] of Object.entries(inputs))
        sizes.set(nameOf(input), (sizes.get(nameOf(input)) ?? 0) + bytesInOutput);
      const names = [...sizes].sort(([, a], [, b]) => b - a).map(([name]) => name);
      const more = names.length > 3 ? [`${names.length - 3} more`] : [];
      return [asCjs(path.basename(file)), [...names.slice(0, 3), ...more].join(', ')];
    }),
  );
}

/** The file that stands for a piece of the source, and what it exports. */
function outputOf(entryPoint) {
  const [name, { exports }] = Object.entries(app.metafile.outputs).find(
    ([, output]) => output.entryPoint === entryPoint,
  );
  return { file: asCjs(path.resolve(root, name)), exports };
}

/** The package's face: an ES module with the exports of a CommonJS file. */
function importable({ file, exports }) {
  const names = exports.join(', ');
  const face = path.join(dist, 'index.js');
  const text = `import { createRequire } from 'node:module';
const { ${names} } = createRequire(import.meta.url)('${relativeName(face, file)}');
export { ${names} };
`;
  return { path: face, text };
}
