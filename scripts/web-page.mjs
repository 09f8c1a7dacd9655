// The page of `aca serve`: built for browsers, and part of the program as one module with all its files.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { inputsOf, jsx, root } from './bundle.mjs';

const NAME = 'virtual:web-page';
const PAGE = path.join(root, 'web/page');
const STATIC = path.join(PAGE, 'static');

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

let built;

/** `files` by their URL path, and the `inputs` that went into them. */
export function buildPage() {
  built ??= bundlePage();
  return built;
}

/**
 * Makes the page importable as `virtual:web-page`.
 * @returns {import('vite').Plugin}
 */
export function webPage() {
  return {
    name: 'web-page',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    async load(id) {
      if (id !== `\0${NAME}`) return null;
      return `export const files = ${JSON.stringify((await buildPage()).files)};`;
    },
  };
}

async function bundlePage() {
  const { output } = await build({
    root: PAGE,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    oxc: { jsx },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // On a busy machine, every plugin seems slow.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
  const files = {};
  for (const file of output) {
    const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
    // Everything else is named after its content.
    files[file.fileName === 'index.html' ? '/' : `/${file.fileName}`] = entry(file.fileName, content, {
      hashed: file.fileName !== 'index.html',
    });
  }
  for (const name of await readdir(STATIC))
    files[`/${name}`] = entry(name, await readFile(path.join(STATIC, name)), { hashed: false });
  return { files, inputs: inputsOf(output) };
}

function entry(name, content, { hashed }) {
  const type = TYPES[path.extname(name)];
  if (type === undefined)
    throw new Error(`web/page: no content type for ${name}; add it to scripts/web-page.mjs.`);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { type, etag, hashed, base64: content.toString('base64') };
}
