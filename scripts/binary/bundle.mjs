// The program as Bun needs it: ES modules in one folder, loaded lazily, with the files that they read.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { assets, inputsOf, root } from '../bundle.mjs';
import { buildPage } from '../web-page.mjs';
import { exe, targets } from './targets.mjs';

/** Writes the bundle and its assets. `entries` are for the compiler; `inputs` are the bundled files. */
export async function bundleForBun(folder, target, parts) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const ripgrep = `rg${exe(targets[target])}`;
  const beside = {
    ...Object.fromEntries(assets.map((file) => [path.basename(file), path.join(root, 'node_modules', file)])),
    [ripgrep]: path.join(parts.ripgrep, 'bin', ripgrep),
  };

  const define = {
    ACA_BINARY: JSON.stringify(target),
    RIPGREP: JSON.stringify({ file: ripgrep, sha256: await sha256(beside[ripgrep]) }),
  };
  const { output } = await build({
    root,
    mode: 'binary',
    define,
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  });
  for (const [name, file] of Object.entries(beside)) await copyFile(file, path.join(folder, name));
  await copyFile(
    path.join(parts.keyring, `keyring.${targets[target].keyring}.node`),
    path.join(folder, 'keyring.node'),
  );
  return {
    entries: ['aca.js'],
    assets: Object.keys(beside),
    inputs: [...inputsOf(output), ...(await buildPage()).inputs],
  };
}

async function sha256(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
