// Proves that a fresh clone works for an ordinary user, with nothing but Node: npm run prove:fresh -- [--node 20,22,24,26]
// [--times 3] [--busy]. Clones the last commit, and runs `npm ci && npm test` with each Node, from the npm registry.
// --busy runs beside a loop on every core. As root it becomes the user nobody.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bundle.mjs';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '20,22,24,26' },
    times: { type: 'string', default: '1' },
    busy: { type: 'boolean', default: false },
  },
});
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const base = await mkdtemp(path.join(await realpath(tmpdir()), 'aca-fresh-'));
const results = [];
const hogs = Array.from({ length: values.busy ? availableParallelism() : 0 }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
try {
  for (const major of values.node.split(',')) await prove(major);
} finally {
  for (const hog of hogs) hog.kill();
  await rm(base, { recursive: true, force: true });
}
console.log(results.join('\n'));

async function prove(major) {
  const [home, clone, tools] = ['home', 'clone', 'node'].map((name) => path.join(base, major, name));
  const env = {
    PATH: `${path.join(tools, 'node_modules/node/bin')}${path.delimiter}${process.env.PATH}`,
    HOME: home,
    // How this machine reaches the registry.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) =>
        /^(npm_config_(registry|cafile)|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|(https?|no)_proxy)$/i.test(name),
      ),
    ),
  };
  const run = (command, cwd = clone) => shell(command, { cwd, env, ...user });
  for (const folder of [home, tools]) await mkdir(folder, { recursive: true });
  // By whoever may read this repository, and then given away.
  await shell(`git clone --quiet --no-hardlinks '${root}' '${clone}'`, { cwd: root });
  if (user.uid !== undefined) await shell(`chown -R ${user.uid}:${user.gid} '${base}'`, { cwd: root });
  await run(`npm install --prefix '${tools}' --no-audit --no-fund --no-save node@${major}`, home);
  await run('echo "node $(node --version), $(id -un)" && npm ci --no-audit --no-fund');
  for (let i = 1; i <= Number(values.times); i++) {
    const start = performance.now();
    const code = await run('npm test').then(
      () => 0,
      (error) => error.code,
    );
    const seconds = Math.round((performance.now() - start) / 1000);
    results.push(`Node ${major}, run ${i}: ${code === 0 ? 'passed' : `FAILED (${code})`} in ${seconds}s`);
    if (code !== 0) process.exitCode = 1;
  }
}

/** Rejects unless it ends with 0. What it prints is shown. */
function shell(command, options) {
  console.log(`$ ${command}`);
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(Object.assign(new Error(`${command} ended with ${code ?? signal}`), { code: code ?? signal }));
    });
  });
}
