// @module-tag soak
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { says } from '../support/model-server/script.ts';
import { mustRun } from '../support/needed.ts';
import { isInstalled } from '../support/on-path.ts';
import { approveUntil, edits, isShown, numbers, served, startSession } from '../support/page-run.ts';
import { signedInPage } from '../support/signed-in-page.ts';
import { useBrowser } from '../support/use-browser.ts';
import { freshFolder, workspace } from '../support/workspace.ts';

/** Also skips these tests where there is none. */
useBrowser();

const HOST = 'code.example.com';

type Ports = { https: number; http: number; server: number };

/** The configuration as docs/server.md shows it. */
async function documented(language: string): Promise<string> {
  const text = await readFile('docs/server.md', 'utf8');
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';
}

/** Replaces what differs on this machine; each of it must be there. */
function replaced(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((now, [from, to]) => {
    expect(now).toContain(from);
    return now.replace(from, to);
  }, text);
}

async function nginx(folder: string, { https, server }: Ports): Promise<ChildProcess> {
  const site = replaced(await documented('nginx'), {
    'listen 443': `listen 127.0.0.1:${https}`,
    '127.0.0.1:7317': `127.0.0.1:${server}`,
    '/etc/ssl/code.example.com.pem': path.resolve('test/support/tls/cert.pem'),
    '/etc/ssl/code.example.com.key': path.resolve('test/support/tls/key.pem'),
  });
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder};`,
  );
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off; ${own.join(' ')}\n${site}}\n`,
  );
  return spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function caddy(folder: string, { https, http, server }: Ports): Promise<ChildProcess> {
  const site = replaced(await documented('caddy'), { '127.0.0.1:7317': `127.0.0.1:${server}` });
  const options = `{\nadmin off\nlocal_certs\nskip_install_trust\nhttps_port ${https}\nhttp_port ${http}\n}\n`;
  const file = path.join(folder, 'Caddyfile');
  await writeFile(file, options + site);
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder };
  return spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
}

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The proxy ended with code ${child.exitCode}.`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(50);
  }
}

test.for([
  { name: 'nginx', start: nginx },
  { name: 'caddy', start: caddy },
])('a whole run through $name, configured as documented', async ({ name, start }, { skip }) => {
  skip(!mustRun && !isInstalled(name), `${name} is not installed; run \`apt install ${name}\``);
  const space = await workspace({ 'a.txt': numbers });
  const script = [...edits('a.txt'), says('All done.')];
  const server = await served(space, script, { flags: ['--allow-host', HOST, '--behind-proxy'] });
  const ports = { https: await freePort(), http: await freePort(), server: Number(new URL(server.url).port) };
  const proxy = await start(await freshFolder(), ports);
  onTestFinished(() => void proxy.kill('SIGKILL'));
  await untilOpen(ports.https, proxy);

  const browser = await startBrowser(`--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${ports.https}`);
  onTestFinished(() => browser.close());
  const link = (await server.link()).replace(/^https?:\/\/[^/]+/, `https://${HOST}`);
  const { page, cut, problems } = await signedInPage(browser, link, { ignoreHTTPSErrors: true });
  await startSession(page, space.root, 'shout the numbers');
  await page.locator('.ask').waitFor();
  await cut();
  await approveUntil(page, () => isShown(page, 'All done.'));
  expect((await space.tree())['a.txt']).toBe(numbers.replace('two', 'TWO').replace('ten', 'TEN'));
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ name: expect.stringMatching(/^__Host-/), secure: true, httpOnly: true });
  expect(problems).toEqual([]);
});
