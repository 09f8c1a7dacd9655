// Builds the images of examples/docker with the packages of this checkout, and runs them: npm run test:images
//   -- --engine docker   (default: podman; docker needs buildx)
//   -- --stand-ins       makes the base images from the Debian and npm registries, as root and with mmdebstrap
// It needs Linux and redis-server. Nothing is published; the images are left as aca-try/aca and aca-try/worker.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { here } from '../binary/targets.mjs';
import { root, version } from '../bundle.mjs';
import { startRegistry } from './registry.mjs';
import { makeStandIns } from './stand-ins.mjs';

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'podman' },
    'stand-ins': { type: 'boolean', default: false },
  },
});
const base = await mkdtemp(path.join(tmpdir(), 'aca-images-'));
const started = [];
const engine = (...args) => run(values.engine, args, { maxBuffer: 2 ** 26 });
const MODEL_SCRIPT = `import { calls, says } from '${path.join(root, 'test/support/model-server/script.ts')}';
export const script = [({ messages }) => messages.some(({ role }) => role === 'assistant')
  ? says('Written.') : calls(['Bash', { command: 'echo built > built.txt' }])];
`;

try {
  await step('packages', () => run('npm', ['run', 'build:packages'], { cwd: root, maxBuffer: 2 ** 24 }));
  if (values['stand-ins']) await step('base images', () => makeStandIns(engine, base));
  await step('images', buildImages);
  const model = await step('model server', startModel);
  await step('aca in a container', () => tryAca(model));
  await step('aca worker in a container', () => tryWorker(model));
} catch (error) {
  console.error(`FAILED ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  process.exitCode = 1;
} finally {
  for (const child of started) child.kill('SIGKILL');
  await rm(base, { recursive: true, force: true });
}

async function step(name, action) {
  const start = performance.now();
  const result = await action();
  console.log(`ok     ${name} (${Math.round((performance.now() - start) / 1000)}s)`);
  return result;
}

/** The Dockerfiles stay as they are: only where npm looks for packages is another. */
async function buildImages() {
  const staged = path.join(root, 'build/npm');
  const folders = ['ai-code-assistant', `ai-code-assistant-${here}`].map((name) => path.join(staged, name));
  const registry = await startRegistry(folders);
  const [node, debian] = values['stand-ins']
    ? ['aca-try/node', 'aca-try/debian']
    : ['node:22-slim', 'debian:12-slim'];
  await writeFile(
    path.join(base, 'Dockerfile'),
    `FROM ${node}\nRUN npm config set --location=global registry ${registry.url}\n`,
  );
  await engine('build', '-q', '-t', 'aca-try/registry', base);
  const from = (name, image) => ['--build-context', `${name}=docker-image://${local(image)}`];
  for (const [name, file] of [
    ['aca', 'Dockerfile'],
    ['worker', 'worker.Dockerfile'],
  ])
    await engine(
      ...['build', '--no-cache', '--network', 'host', '-t', `aca-try/${name}`],
      ...from('node:22-slim', 'aca-try/registry'),
      ...(values['stand-ins'] ? from('debian:12-slim', debian) : []),
      ...['-f', path.join(root, 'examples/docker', file), path.join(root, 'examples/docker')],
    );
  registry.close();
}

/** Podman would look for a name without a registry on all of them. */
function local(image) {
  return values.engine.endsWith('docker') ? image : `localhost/${image}`;
}

async function startModel() {
  const script = path.join(base, 'script.ts');
  await writeFile(script, MODEL_SCRIPT);
  const port = await freePort();
  const server = 'test/support/model-server/main.ts';
  const child = spawn(
    process.execPath,
    ['scripts/run-ts.mjs', server, '--port', `${port}`, '--script', script],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  started.push(child);
  await once(child.stdout, 'data');
  return ['-e', 'ANTHROPIC_API_KEY=scripted', '-e', `ANTHROPIC_BASE_URL=http://127.0.0.1:${port}`];
}

async function tryAca(model) {
  const project = await folder('project');
  const aca = async (...args) =>
    (
      await engine(
        'run',
        '--rm',
        '--network',
        'host',
        ...model,
        '-v',
        `${project}:/work`,
        'aca-try/aca',
        ...args,
      )
    ).stdout;
  expect(await aca('--version'), `${version} (binary, ${here})`);
  expect(await aca('doctor'), 'No problems found.');
  expect(await aca('-p', 'build', '--allow', 'Bash(echo built > built.txt)'), 'Written.');
  expect(await readFile(path.join(project, 'built.txt'), 'utf8'), 'built');
}

/** One task from a queue, in bubblewrap: with the settings of examples/kubernetes/workers.yaml. */
async function tryWorker(model) {
  const port = await freePort();
  const redis = [
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--dir',
    await folder('redis'),
    '--appendonly',
    'yes',
  ];
  started.push(spawn('redis-server', [...redis, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' }));
  const [store, project, home] = [await folder('store'), await folder('tasks'), await folder('home')];
  const env = {
    AI_ASSISTANT_QUEUE_URL: `redis://127.0.0.1:${port}`,
    AI_ASSISTANT_REDIS_KEY: 'the same everywhere',
  };
  const lab = ['--network', 'host', '--security-opt', 'seccomp=unconfined', '--security-opt'];
  lab.push(values.engine.endsWith('docker') ? 'systempaths=unconfined' : 'unmask=ALL', ...model);
  lab.push(...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]));
  expect(
    (await engine('run', '--rm', ...lab, 'aca-try/worker', 'doctor')).stdout,
    'commands run in bubblewrap',
  );
  const volumes = [store, project].flatMap((place) => ['-v', `${place}:${place}`]);
  const name = `aca-try-${process.pid}`;
  const worker = ['aca-try/worker', 'worker', '--trees', '/tmp'];
  await engine('run', '-d', '--name', name, ...lab, ...volumes, ...worker);
  const task = { prompt: 'build', folder: project, model: 'anthropic/claude-sonnet-5' };
  const tasks = path.join(base, 'tasks.jsonl');
  await writeFile(tasks, `${JSON.stringify(task)}\n`);
  try {
    const batch = [path.join(root, 'dist/main.cjs'), 'batch', tasks, '--store', store];
    const { stdout } = await run(process.execPath, batch, {
      cwd: home,
      env: { ...process.env, ...env, HOME: home, AI_ASSISTANT_HOME: home },
      timeout: 120_000,
    });
    expect(stdout, '"status":"done"');
    expect(stdout, '"filesChanged":1');
  } catch (error) {
    const { stdout, stderr } = await engine('logs', name);
    throw Object.assign(error, { stderr: `${error.stderr}\nThe worker said:\n${stdout}${stderr}` });
  } finally {
    await engine('stop', name);
    await engine('rm', '-f', name);
  }
}

/** The user of the image writes there, whoever runs this. */
async function folder(name) {
  const made = path.join(base, name);
  await mkdir(made);
  await run('chmod', ['a+rwx', base, made]);
  return made;
}

function expect(text, wanted) {
  if (!text.includes(wanted)) throw new Error(`Expected ${JSON.stringify(wanted)} in:\n${text}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
