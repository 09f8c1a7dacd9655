// An npm registry on this machine that has packages which are not published, and hands on all other requests.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Serves the packages in these folders, for this machine only. */
export async function startRegistry(folders) {
  const upstream = (await run('npm', ['config', 'get', 'registry'])).stdout.trim().replace(/\/$/, '');
  const files = new Map();
  const answers = new Map();
  const server = createServer((request, response) => {
    const own = files.get(request.url) ?? answers.get(request.url);
    if (own !== undefined) response.end(own);
    else handOn(request, response).catch((error) => response.writeHead(502).end(error.message));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const folder of folders) {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', path.dirname(folder)], {
      cwd: folder,
    });
    const tarball = await readFile(path.join(path.dirname(folder), stdout.trim()));
    const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const { name, version } = manifest;
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: `${url}/${stdout.trim()}`, integrity };
    files.set(`/${stdout.trim()}`, tarball);
    const versions = { [version]: { ...manifest, dist } };
    answers.set(`/${name}`, JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  }
  return { url, close: () => server.close() };

  async function handOn(request, response) {
    const { accept = '*/*' } = request.headers;
    const answer = await fetch(`${upstream}${request.url}`, { headers: { accept } });
    response.statusCode = answer.status;
    const type = answer.headers.get('content-type') ?? '';
    response.setHeader('content-type', type);
    // Tarballs, too, come by way of this server: inside a container, the way to the registry may differ.
    if (type.includes('json')) response.end((await answer.text()).replaceAll(`${upstream}/`, `${url}/`));
    else Readable.fromWeb(answer.body).pipe(response);
  }
}
