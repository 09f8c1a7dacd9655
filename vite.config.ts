import path from 'node:path';
import { type BuildOptions, defineConfig } from 'vite';
import { root, version, worker } from './scripts/bundle.mjs';
import { packageFiles } from './scripts/package-files.mjs';
import { webPage } from './scripts/web-page.mjs';

type Bundle = NonNullable<BuildOptions['rolldownOptions']>;

/**
 * What `vite build` writes into dist/: CommonJS, whose compiled code Node can cache, split where the source says
 * import(). The entries have fixed names; all else is named after its content, so that a program started during an
 * update never loads a file of another build.
 */
const forNode: Bundle = {
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    [`chunks/${worker}`]: 'src/embedded/worker.ts',
  },
  // These bring a native program or library. Everything else is bundled.
  external: ['@vscode/ripgrep', '@napi-rs/keyring'],
  output: {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    sourcemapExcludeSources: true,
  },
};

/** What `vite build --mode binary` writes: the ES modules that scripts/build-binary.mjs compiles with Bun. */
const forBun: Bundle = {
  input: { aca: 'src/cli/binary/main.ts' },
  external: 'keyring.node',
  output: {
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    paths: { 'keyring.node': './keyring.node' },
  },
};

/** In the binary, native parts are files inside it instead of packages. */
const insideBinary = {
  '@vscode/ripgrep': path.join(root, 'src/cli/binary/ripgrep.ts'),
  '@napi-rs/keyring': path.join(root, 'src/cli/binary/keyring.ts'),
};

// Also for tests, which set it to something else.
process.env.NODE_ENV = 'production';

export default defineConfig(({ mode }) => {
  const isBinary = mode === 'binary';
  return {
    root,
    define: {
      ACA_VERSION: JSON.stringify(version),
      EMBEDDED_WORKER: JSON.stringify(`./${worker}.cjs`),
      'process.env.NODE_ENV': JSON.stringify('production'),
      // The binary consists of ES modules, which have no such name; a library looks for its file there.
      // Bun would fill both with the folder of the build; undici looks for the file name in stack traces.
      ...(isBinary && { __dirname: 'import.meta.dirname', __filename: JSON.stringify('aca') }),
    },
    ssr: { noExternal: true },
    resolve: { alias: isBinary ? insideBinary : {} },
    plugins: [webPage(), ...(isBinary ? [] : [packageFiles()])],
    build: {
      ssr: true,
      target: 'node20.19',
      minify: true,
      sourcemap: !isBinary,
      reportCompressedSize: false,
      // web-tree-sitter says eval(), for modules that nothing here loads. The page is built in a plugin, which takes a while.
      rolldownOptions: {
        ...(isBinary ? forBun : forNode),
        checks: { eval: false, bundlerTimings: false },
      },
    },
  };
});
