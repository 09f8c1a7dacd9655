// Adds to package-lock.json the builds for other platforms that npm left out because the current registry
// does not serve them. Without them `npm ci` rejects the lock file everywhere. Run it after `npm install`.
import { readFile, writeFile } from 'node:fs/promises';

const lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
const { packages } = lock;
let added = 0;
for (const [place, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const top = `node_modules/${name}`;
    if (packages[top] || packages[`${place}/${top}`]) continue;
    const dev = place !== '' && entry.dev ? { dev: true } : {};
    packages[top] = { version: range.replace(/^[\^~]/, ''), ...dev, optional: true, ...systemOf(name) };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
await writeFile('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} builds for other systems added`);

/** Such packages are named after their platform. */
function systemOf(name) {
  const has = (word) => new RegExp(`(^|[-/])${word}([-.]|$)`).test(name);
  const os = [
    'android',
    'darwin',
    'win32',
    'linux',
    'freebsd',
    'openbsd',
    'netbsd',
    'sunos',
    'aix',
    'openharmony',
  ].filter(has);
  const cpu = [
    'arm64',
    'x64',
    'ia32',
    'arm',
    'ppc64',
    'ppc',
    'riscv64',
    's390x',
    'loong64',
    'mips64el',
    'wasm32',
  ].filter(has);
  const libc = has('musl') ? ['musl'] : has('gnu') || has('glibc') ? ['glibc'] : [];
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) };
}
