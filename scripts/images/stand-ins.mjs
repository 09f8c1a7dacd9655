// Images that take the place of debian:12-slim and node:22-slim where no image registry can be reached: made from the
// Debian and npm registries. They need root and mmdebstrap.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NODE = [
  'FROM aca-try/debian',
  'COPY node/bin/node /usr/local/bin/',
  'COPY npm /usr/local/lib/node_modules/npm',
];
const NPM = 'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';

export async function makeStandIns(engine, folder) {
  const files = path.join(folder, 'debian.tar');
  const mirror = 'http://deb.debian.org/debian';
  await run('mmdebstrap', ['--quiet', '--variant=minbase', 'bookworm', files, mirror]);
  await engine('import', files, 'aca-try/debian');
  const node = path.join(folder, 'node');
  await mkdir(node);
  await run('npm', ['install', '--prefix', node, '--no-audit', '--no-fund', 'node@22', 'npm@10']);
  await writeFile(path.join(folder, 'node.Dockerfile'), `${[...NODE, NPM].join('\n')}\n`);
  await engine(
    ...['build', '-q', '-t', 'aca-try/node', '-f', path.join(folder, 'node.Dockerfile')],
    path.join(node, 'node_modules'),
  );
}
