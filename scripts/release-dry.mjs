// Rehearses a release on this machine and publishes nothing: node scripts/release-dry.mjs [--target NAME,NAME|all]
// Builds the last commit here and in a clone of it elsewhere and compares the checksums, stages and packs the packages,
// installs them into an empty prefix, runs them, tries old versions of Node, checks that uninstalling leaves nothing, and
// packs the VS Code extension. It needs the npm registry: for the packages of the second build, Bun, and old Nodes.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { here, targets } from './binary/targets.mjs';
import { nodeNeeded, root, version } from './bundle.mjs';
import { changelogProblem } from './changelog.mjs';

const run = promisify(execFile);
const NAME = 'ai-code-assistant';
const LARGE = { maxBuffer: 2 ** 24 };
const OLD_NODES = ['14', '16', '18'];
const { values } = parseArgs({ options: { target: { type: 'string', default: 'all' } } });
const wanted = values.target === 'all' ? Object.keys(targets) : values.target.split(',').filter(Boolean);
const shell = process.platform === 'win32';
const base = await mkdtemp(path.join(await realpath(tmpdir()), 'aca-release-'));
/** The same commit at another path: what a build contains must not depend on where it was made. */
const elsewhere = path.join(base, 'elsewhere');
const problems = [];

try {
  await step('changelog', checkChangelog);
  await step('second place to build', cloneElsewhere);
  await step('JavaScript build, in both places', buildTwice);
  const built = await step('binaries, in both places', buildBinaries);
  const packed = await step('packages', () => pack(built ?? []));
  if (packed) await step('install, run, uninstall', () => tryPackages(packed));
  await step('VS Code extension', () => packExtension());
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
  const problem = changelogProblem(await readFile(path.join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (problem !== null) throw new Error(problem);
}

async function cloneElsewhere() {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root });
  if (stdout !== '') throw new Error(`A release is built from a commit. Commit these first:\n${stdout}`);
  await run('git', ['clone', '--quiet', '--no-hardlinks', root, elsewhere]);
  await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: elsewhere, shell });
}

async function buildTwice() {
  const sums = [];
  for (const place of [root, elsewhere]) {
    await run('npm', ['run', '--silent', 'prepack'], { cwd: place, shell });
    sums.push(await checksums(path.join(place, 'dist')));
  }
  same(...sums);
}

/** Resolves with the targets that could be built; those that could not are named. */
async function buildBinaries() {
  const built = [];
  for (const target of wanted) {
    try {
      await build(root, { target, outdir: path.join(base, 'first') });
      await shareDownloads();
      await build(elsewhere, { target, outdir: path.join(base, 'second') });
      built.push(target);
    } catch (error) {
      problems.push(`binary for ${target}: ${(error.stderr || error.message).slice(-1000)}`);
    }
  }
  const sums = await checksums(path.join(base, 'first'));
  same(sums, await checksums(path.join(base, 'second')));
  for (const [file, sum] of sums)
    if (/^aca-[^.]+(\.exe)?$/.test(file)) {
      const { size } = await stat(path.join(base, 'first', file));
      console.log(`       ${megabytes(size)}  ${sum.slice(0, 16)}  ${file}`);
    }
  await rm(path.join(base, 'second'), { recursive: true });
  return built;
}

function build(cwd, { target, outdir }) {
  const script = path.join(cwd, 'scripts/build-binary.mjs');
  return run(process.execPath, [script, '--quiet', '--target', target, '--outdir', outdir], {
    cwd,
    ...LARGE,
  });
}

/** Bun is 50 MB for each system. Both places check its checksum. */
async function shareDownloads() {
  const [from, to] = [root, elsewhere].map((place) => path.join(place, 'node_modules/.cache/binary'));
  for (const name of await readdir(from))
    if (name.startsWith('@'))
      await cp(path.join(from, name), path.join(to, name), { recursive: true, force: false });
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
    console.log(`       ${megabytes((await stat(file)).size)}  ${stdout.trim()}`);
    tarballs.set(name, file);
  }
  return tarballs;
}

async function tryPackages(tarballs) {
  const prefix = path.join(base, 'prefix');
  await mkdir(prefix);
  const names = [NAME, `${NAME}-${here}`].filter((name) => tarballs.has(name));
  const npm = (command, ...args) =>
    run('npm', [command, '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...args], { shell });
  await npm('install', ...names.map((name) => tarballs.get(name)));
  const packages = path.join(prefix, shell ? '' : 'lib', 'node_modules');
  const command = path.join(prefix, shell ? 'aca.cmd' : 'bin/aca');
  await tryProgram(command, { AI_ASSISTANT_BINARY: '0' });
  // What npm's command starts depends on this Node; a binary is started in any case.
  await tryProgram(command, {});
  if (names.length > 1) await tryProgram(path.join(packages, names[1], shell ? 'aca.exe' : 'aca'), {});
  if (!shell) await stat(path.join(prefix, 'share/man/man1/aca.1'));
  await refuseOldNodes(path.join(packages, NAME, 'bin/aca.cjs'));
  await npm('uninstall', ...names);
  const left = [...(await checksums(prefix)).keys()];
  if (left.length > 0) throw new Error(`Uninstalling left ${left.join(', ')}.`);
}

/** In an empty home folder, it says its version and plays the demo, which edits, runs a test and undoes. */
async function tryProgram(command, env) {
  const home = await mkdtemp(path.join(base, 'home-'));
  const aca = async (...args) => {
    const { stdout } = await run(command, args, {
      cwd: home,
      shell: shell && command.endsWith('.cmd'),
      env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, ...env },
    });
    return stdout.trim();
  };
  const shown = await aca('--version');
  console.log(`       ${shown}`);
  if (!shown.startsWith(`${version} (`)) throw new Error(`aca --version printed ${shown}.`);
  const demo = await aca('--demo');
  if (!demo.includes('greet.js is byte for byte the same as before.'))
    throw new Error(`The demo of ${shown} ended with ${demo.slice(-300)}`);
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

async function packExtension() {
  const file = path.join(base, 'extension.vsix');
  await node('scripts/vscode-package.mjs', file);
  console.log(`       ${megabytes((await stat(file)).size)}  ai-code-assistant-${version}.vsix`);
}

function node(script, ...args) {
  return run(process.execPath, [script, ...args], { cwd: root, ...LARGE });
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The SHA-256 of each file below a folder. */
async function checksums(folder) {
  const names = await readdir(folder, { recursive: true });
  const files = names.map((name) => path.join(folder, name)).filter((file) => !lstatSync(file).isDirectory());
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
