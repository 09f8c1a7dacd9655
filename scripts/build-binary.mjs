// Builds the standalone binary: node scripts/build-binary.mjs [--target NAME,NAME|all] [--outdir DIR]
// [--quiet]
// Without --target it is for this machine. Checksums, licences and parts lists are written next to the
// binaries.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { bundleForBun } from './binary/bundle.mjs';
import { partsList } from './binary/parts-list.mjs';
import { bunFor, exe, here, partsOf, targets } from './binary/targets.mjs';
import { root } from './bundle.mjs';
import { licenceIn, licences } from './licences.mjs';

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: here ?? '' },
    outdir: { type: 'string', default: path.join(root, 'build') },
    quiet: { type: 'boolean', default: false },
  },
});
const wanted = values.target === 'all' ? Object.keys(targets) : values.target.split(',').filter(Boolean);
const unknown = wanted.filter((name) => !(name in targets));
if (here === null || wanted.length === 0 || unknown.length > 0) {
  const why = here === null ? 'Bun does not run on this machine' : `there is no target ${unknown.join(', ')}`;
  console.error(`Cannot build a binary: ${why}. Targets: ${Object.keys(targets).join(', ')}, all.`);
  process.exit(2);
}

const outdir = path.resolve(values.outdir);
await mkdir(outdir, { recursive: true });
for (const target of wanted) {
  const file = await compile(target);
  if (!values.quiet) console.log(`${path.relative('.', file)}: ${megabytes((await stat(file)).size)}`);
}
await writeFile(path.join(outdir, 'SHA256SUMS'), await checksums());

async function compile(target) {
  const parts = await partsOf(target);
  const code = path.join(root, 'node_modules/.cache/binary', target);
  const bundle = await bundleForBun(code, target, parts);
  const name = `aca-${target}`;
  const file = path.join(outdir, `${name}${exe(targets[target])}`);
  // A running binary cannot be overwritten, but it can be replaced.
  const fresh = path.join(code, `fresh${exe(targets[target])}`);
  const flags = [
    // A project's own .env and Bun settings must not affect the program. Without autoloading package.json,
    // however, imports of plugins and of the model runtime are not resolved.
    ...['dotenv', 'bunfig', 'tsconfig'].map((what) => `--no-compile-autoload-${what}`),
    '--compile-autoload-package-json',
    ...bundle.assets.flatMap((asset) => ['--asset', asset]),
  ];
  await run(
    await bunFor(here),
    [
      'build',
      '--compile',
      '--minify',
      '--bytecode',
      '--splitting',
      '--format=esm',
      `--target=bun-${target}`,
      `--compile-executable-path=${await bunFor(target)}`,
      ...flags,
      ...bundle.entries,
      '--outfile',
      fresh,
    ],
    { cwd: code, maxBuffer: 2 ** 24 },
  );
  await sign(fresh, target);
  await rename(fresh, file);
  await writeFile(path.join(outdir, `${name}.licences.txt`), await licencesOf(bundle.inputs, parts));
  const list = await partsList({ target, inputs: bundle.inputs, parts, file });
  await writeFile(path.join(outdir, `${name}.cdx.json`), `${JSON.stringify(list, null, 2)}\n`);
  return file;
}

/**
 * Adding our code invalidates the signature of Bun, and macOS refuses to start a program with an invalid
 * signature. Only a Mac can sign it again.
 */
async function sign(file, target) {
  if (targets[target].os !== 'darwin') return;
  if (process.platform === 'darwin') await run('codesign', ['--force', '--sign', '-', file]);
  else
    console.error(
      `${target}: not signed. Before it is handed out: codesign --force --sign - FILE, on a Mac.`,
    );
}

async function licencesOf(inputs, { ripgrep, keyring }) {
  const bun = await readFile(path.join(root, 'scripts/licences/bun.txt'), 'utf8');
  const rg = `ripgrep (started as a program of its own)\n\n${await licenceIn(ripgrep)}`;
  const keys = await readFile(path.join(keyring, 'LICENSE.third-party.md'), 'utf8').catch(() => null);
  return licences(inputs, [bun, rg, ...(keys === null ? [] : [`@napi-rs/keyring (native part)\n\n${keys}`])]);
}

/** For all published files in the folder, in the format of `sha256sum --check`. */
async function checksums() {
  const names = (await readdir(outdir, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.startsWith('aca-'))
    .map(({ name }) => name)
    .sort();
  const lines = names.map(async (name) => {
    const content = await readFile(path.join(outdir, name));
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
