// The program as Bun takes it: ES modules in one folder, each loaded on first use, and beside them what they read.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { assets, bundled, preparedConstants, root } from '../bundle.mjs';
import { exe, targets } from './targets.mjs';

const WORKER = 'embedded-worker';

/** Writes the bundle and its assets. `entries` are for the compiler; `inputs` is what went in. */
export async function bundleForBun(folder, target, parts) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const ripgrep = `rg${exe(targets[target])}`;
  const keyring = 'keyring.node';
  const beside = {
    ...Object.fromEntries(assets.map((file) => [path.basename(file), path.join(root, 'node_modules', file)])),
    [ripgrep]: path.join(parts.ripgrep, 'bin', ripgrep),
  };
  for (const [name, file] of Object.entries(beside)) await copyFile(file, path.join(folder, name));
  await copyFile(
    path.join(parts.keyring, `keyring.${targets[target].keyring}.node`),
    path.join(folder, keyring),
  );

  const define = {
    ...bundled.define,
    ACA_BINARY: JSON.stringify(target),
    ...(await preparedConstants()),
    EMBEDDED_WORKER: JSON.stringify(`./${WORKER}.js`),
    RIPGREP: JSON.stringify({ file: ripgrep, sha256: await sha256(beside[ripgrep]) }),
  };
  const common = { ...bundled, define, outdir: folder, format: 'esm', mainFields: ['module', 'main'] };
  const app = await build({
    ...common,
    entryPoints: { aca: 'src/cli/binary/main.ts' },
    splitting: true,
    inject: ['scripts/segmenter-global.ts'],
    plugins: [packedParts(keyring)],
  });
  const worker = await build({ ...common, entryPoints: { [WORKER]: 'src/embedded/worker.ts' } });
  return {
    entries: ['aca.js', `${WORKER}.js`],
    assets: Object.keys(beside),
    inputs: [app, worker].flatMap(({ metafile }) => Object.keys(metafile.inputs)),
  };
}

/** What is a package with a binary elsewhere is a file inside this one. */
function packedParts(keyring) {
  return {
    name: 'packed-parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@vscode\/ripgrep$/ }, () => ({
        path: path.join(root, 'src/cli/binary/ripgrep.ts'),
      }));
      onResolve({ filter: /^@napi-rs\/keyring$/ }, () => ({ path: 'keyring', namespace: 'packed' }));
      onResolve({ filter: /\.node$/ }, ({ path: file }) => ({ path: file, external: true }));
      onLoad({ filter: /^keyring$/, namespace: 'packed' }, () => ({
        contents: `import native from './${keyring}'; export const { AsyncEntry } = native;`,
        resolveDir: root,
      }));
    },
  };
}

async function sha256(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
