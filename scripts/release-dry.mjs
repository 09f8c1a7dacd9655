// Rehearses a release on this machine and publishes nothing: node scripts/release-dry.mjs [--target NAME,NAME|all]
// Builds everything twice and compares the checksums, stages and packs the packages, installs them into an empty prefix,
// runs them, tries old versions of Node, and checks that uninstalling leaves nothing.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { here, targets } from './binary/targets.mjs';
import { nodeNeeded, root, version } from './bundle.mjs';

const run = promisify(execFile);
const NAME = 'ai-code-assistant';
const OLD_NODES = ['14', '16', '18'];
const { values } = parseArgs({ options: { target: { type: 'string', default: 'all' } } });
const wanted = values.target === 'all' ? Object.keys(targets) : values.target.split(',').filter(Boolean);
const shell = process.platform === 'win32';
const base = await mkdtemp(path.join(tmpdir(), 'aca-release-'));
const problems = [];

try {
  await step('changelog', checkChangelog);
  await step('JavaScript build, twice', buildTwice);
  const built = await step('binaries, twice', buildBinaries);
  const packed = await step('packages', () => pack(built ?? []));
  if (packed) await step('install, run, uninstall', () => tryPackages(packed));
} finally {
  await rm(base, { recursive: true, force: true });
}
for (const problem of problems) console.error(`FAILED ${problem}`);
console.log(problems.length === 0 ? `${NAME} ${version} is ready to be released.` : 'Not ready.');
process.exitCode = problems.length === 0 ? 0 : 1;

/** Goes on after a failure, so that one rehearsal shows all of them. */
async function step(name, action) {
  const start = performance.now();
  try {
    const result = await action();
    console.log(`ok     ${name} (${Math.round((performance.now() - start) / 1000)}s)`);
    return result;
  } catch (error) {
    problems.push(`${name}: ${error.message}${error.stderr ? `\n${error.stderr.slice(-2000)}` : ''}`);
    return undefined;
  }
}

async function checkChangelog() {
  const text = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  const [, newest, date] = /^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$/m.exec(text) ?? [];
  if (newest !== version || date === undefined)
    throw new Error(
      `CHANGELOG.md begins with ${newest} ${date ?? 'without a date'}, package.json with ${version}.`,
    );
}

async function buildTwice() {
  const dist = path.join(root, 'dist');
  const sums = [];
  for (let i = 0; i < 2; i++) {
    await run('npm', ['run', '--silent', 'prepack'], { cwd: root, shell });
    sums.push(await checksums(dist));
  }
  same(...sums);
}

/** Resolves with the targets that could be built; those that could not are named. */
async function buildBinaries() {
  const built = [];
  for (const target of wanted) {
    try {
      for (const folder of ['first', 'second']) {
        const outdir = path.join(base, folder);
        await node('scripts/build-binary.mjs', '--quiet', '--target', target, '--outdir', outdir);
      }
      built.push(target);
    } catch (error) {
      problems.push(`binary for ${target}: ${(error.stderr || error.message).slice(-1000)}`);
    }
  }
  same(await checksums(path.join(base, 'first')), await checksums(path.join(base, 'second')));
  for (const [file, sum] of await checksums(path.join(base, 'first')))
    if (!file.includes('.')) console.log(`       ${sum.slice(0, 16)}  ${file}`);
  await rm(path.join(base, 'second'), { recursive: true });
  return built;
}

async function pack(built) {
  const staged = path.join(base, 'npm');
  const binaries = path.join(base, 'first');
  const target = built.join(',');
  await node('scripts/stage-packages.mjs', '--target', target, '--binaries', binaries, '--outdir', staged);
  const tarballs = new Map();
  for (const name of await readdir(staged)) {
    const folder = path.join(staged, name);
    const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    for (const field of ['version', 'license', 'repository', 'homepage', 'bugs', 'author'])
      if (manifest[field] === undefined)
        throw new Error(`${name} has no ${field}, which npm's provenance needs.`);
    const { stdout } = await run('npm', ['pack', '--silent'], { cwd: folder, shell });
    const file = path.join(folder, stdout.trim());
    console.log(`       ${((await stat(file)).size / 1e6).toFixed(1)} MB  ${stdout.trim()}`);
    tarballs.set(name, file);
  }
  return tarballs;
}

async function tryPackages(tarballs) {
  const prefix = path.join(base, 'prefix');
  const home = path.join(base, 'home');
  await mkdir(prefix);
  await mkdir(home);
  const names = [NAME, `${NAME}-${here}`].filter((name) => tarballs.has(name));
  const npm = (command, ...args) =>
    run('npm', [command, '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...args], { shell });
  await npm('install', ...names.map((name) => tarballs.get(name)));
  const bin = shell ? prefix : path.join(prefix, 'bin');
  const aca = async (env, ...args) => {
    const home = { HOME: path.join(base, 'home'), USERPROFILE: path.join(base, 'home') };
    const command = path.join(bin, shell ? 'aca.cmd' : 'aca');
    const { stdout } = await run(command, args, {
      cwd: home.HOME,
      shell,
      env: { PATH: process.env.PATH, ...home, ...env },
    });
    return stdout.trim();
  };
  for (const env of [{}, { AI_ASSISTANT_BINARY: '0' }]) {
    const shown = await aca(env, '--version');
    console.log(`       ${shown}`);
    if (!shown.startsWith(`${version} (`)) throw new Error(`aca --version printed ${shown}.`);
    const demo = await aca(env, '--demo');
    if (!demo.includes('greet.js is byte for byte the same as before.'))
      throw new Error(`The demo ended with ${demo.slice(-300)}`);
  }
  if (names.length > 1) {
    const binary = path.join(prefix, shell ? '' : 'lib', 'node_modules', names[1], shell ? 'aca.exe' : 'aca');
    console.log(`       ${(await run(binary, ['--version'])).stdout.trim()}`);
  }
  if (!shell) await stat(path.join(prefix, 'share/man/man1/aca.1'));
  await refuseOldNodes(path.join(prefix, shell ? '' : 'lib', 'node_modules', NAME, 'bin/aca.cjs'));
  await npm('uninstall', ...names);
  const left = [...(await checksums(prefix)).keys()];
  if (left.length > 0) throw new Error(`Uninstalling left ${left.join(', ')}.`);
}

/** Real ones from the registry, as the command that npm links would be run by them. */
async function refuseOldNodes(launcher) {
  const os = process.platform === 'win32' ? 'win' : process.platform;
  for (const major of OLD_NODES) {
    const folder = path.join(base, `node-${major}`);
    await mkdir(folder);
    const name = `node-${os}-${process.arch}`;
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${major}`], {
      shell,
    });
    const file = path.join(folder, 'node_modules', name, 'bin', shell ? 'node.exe' : 'node');
    const { code, stderr = '' } = await run(file, [launcher, '--version']).catch((error) => error);
    if (code !== 2 || !stderr.startsWith(`aca needs Node ${nodeNeeded} or newer; you have ${major}.`))
      throw new Error(`Node ${major} ended with ${code ?? 0}: ${stderr.slice(0, 300)}`);
    console.log(`       Node ${major}: ${stderr.split('\n')[0]}`);
  }
}

function node(script, ...args) {
  return run(process.execPath, [script, ...args], { cwd: root, maxBuffer: 2 ** 24 });
}

/** The SHA-256 of each file below a folder. */
async function checksums(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sums = new Map();
  for (const file of files.sort())
    sums.set(
      path.relative(folder, file),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    );
  return sums;
}

function same(first, second) {
  const names = new Set([...first.keys(), ...second.keys()]);
  const differing = [...names].filter((name) => first.get(name) !== second.get(name));
  if (differing.length > 0) throw new Error(`Two builds differ: ${differing.join(', ')}.`);
}
