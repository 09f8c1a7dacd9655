// Stages the packages for publishing: node scripts/stage-packages.mjs [--target NAME,NAME|all] [--outdir DIR]
// They need dist/ with its types and the binaries of these targets. The package.json of this repository does
// not refer to unpublished packages, so that `npm ci` works before the first release; the staged one does.
import { chmod, copyFile, cp, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { exe, here, targets } from './binary/targets.mjs';
import { root } from './bundle.mjs';

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: here ?? '' },
    binaries: { type: 'string', default: path.join(root, 'build') },
    outdir: { type: 'string', default: path.join(root, 'build/npm') },
  },
});
const wanted = values.target === 'all' ? Object.keys(targets) : values.target.split(',').filter(Boolean);
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const { name, version, license, keywords, engines, man, author, homepage, repository, bugs } = manifest;
/** Same in all packages; npm's provenance compares `repository` with the place of the build. */
const origin = { license, author, homepage, repository, bugs };
const outdir = path.resolve(values.outdir);

for (const target of wanted) await stageBinary(target);
await stageProgram();

/** One binary, installed by npm only on its platform. */
async function stageBinary(target) {
  const { os, cpu } = targets[target];
  const program = `aca${exe(targets[target])}`;
  const folder = await freshFolder(`${name}-${target}`);
  const built = path.join(values.binaries, `aca-${target}`);
  // A hard link takes no space; a copy is needed only across file systems.
  const binary = `${built}${exe(targets[target])}`;
  await link(binary, path.join(folder, program)).catch(() => copyFile(binary, path.join(folder, program)));
  await chmod(path.join(folder, program), 0o755);
  await copyFile(`${built}.licences.txt`, path.join(folder, 'THIRD-PARTY-LICENSES.txt'));
  await copyFile(`${built}.cdx.json`, path.join(folder, 'sbom.cdx.json'));
  await copyFile(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  const title = `# ${name}-${target}\n\nThe standalone binary of [${name}](https://www.npmjs.com/package/${name})`;
  await writeFile(path.join(folder, 'README.md'), `${title} for ${target}. Install that package instead.\n`);
  await writeManifest(folder, {
    name: `${name}-${target}`,
    version,
    description: `The standalone binary of ${name} for ${target}.`,
    ...origin,
    os: [os],
    cpu: [cpu],
    // Bun's runtime for Linux is linked against glibc.
    ...(os === 'linux' && { libc: ['glibc'] }),
    files: [program, 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'],
    preferUnplugged: true,
  });
}

/** The JavaScript build with a command that prefers the binary. */
async function stageProgram() {
  const folder = await freshFolder(name);
  for (const part of manifest.files) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await mkdir(path.join(folder, 'bin'));
  await copyFile(path.join(root, 'scripts/npm/launch.cjs'), path.join(folder, 'bin/aca.cjs'));
  await chmod(path.join(folder, 'bin/aca.cjs'), 0o755);
  const binaries = Object.keys(targets).map((target) => [`${name}-${target}`, version]);
  await writeManifest(folder, {
    name,
    version,
    description: manifest.description,
    ...origin,
    type: manifest.type,
    engines,
    bin: { [name]: 'bin/aca.cjs', aca: 'bin/aca.cjs' },
    man,
    exports: manifest.exports,
    files: [...manifest.files, 'bin'],
    keywords,
    dependencies: manifest.dependencies,
    optionalDependencies: { ...manifest.optionalDependencies, ...Object.fromEntries(binaries) },
  });
}

async function freshFolder(packageName) {
  const folder = path.join(outdir, packageName);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

async function writeManifest(folder, content) {
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}
