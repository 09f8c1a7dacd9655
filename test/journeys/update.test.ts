import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { deadUrl } from '../support/loopback.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Many starts of the program in one test: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

/** A registry that knows one version of the program. */
async function registry(version: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ version }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function known(space: Workspace): string {
  return path.join(space.home, '.ai-assistant', 'cache', 'update.json');
}

/** A program that runs from its source asks only a registry that the settings name. */
async function nameInSettings(space: Workspace, registry: string): Promise<void> {
  const file = path.join(space.home, '.ai-assistant', 'config.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ updates: { registry } }));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('[D01] `aca update` tells the newest version and the command, and changes nothing', async () => {
  const space = await workspace();
  const { url, asked } = await registry('99.1.0');
  const { code, stdout } = await aca(space, ['update'], { env: { npm_config_registry: `${url}/` } });
  expect([code, asked]).toEqual([0, ['/ai-code-assistant/latest']]);
  expect(stdout).toMatch(
    /^You have version \d+\.\d+\.\d+, installed .+\.\nVersion 99\.1\.0 is available\. To update: .+\n$/,
  );
});

test('[D01] `aca update` without an answer says why, and offline it asks nobody', async () => {
  const space = await workspace();
  const dead = await aca(space, ['update', '--json'], { env: { npm_config_registry: await deadUrl() } });
  expect(JSON.parse(dead.stdout)).toMatchObject({
    latest: null,
    trouble: expect.stringContaining('ECONNREFUSED'),
  });
  const { url, asked } = await registry('99.1.0');
  const offline = await aca(space, ['update', '--json'], {
    env: { npm_config_registry: url, AI_ASSISTANT_OFFLINE: '1' },
  });
  expect(JSON.parse(offline.stdout)).toMatchObject({ latest: null, trouble: 'you are offline' });
  expect(asked).toEqual([]);
});

test(
  '[D01] after an answer the registry is asked once in the background; the next start tells it on one line',
  soak,
  async () => {
    const space = await workspace();
    const { url, asked } = await registry('99.1.0');
    const server = await serve([says('hello'), says('hello again')]);
    const { model, env } = doors['openai-chat'](server.url);
    const wanted = { ...env, AI_ASSISTANT_NO_UPDATE_CHECK: '' };
    await nameInSettings(space, url);

    const first = openTerminal(space, ['--plain', '--model', model, 'hi'], wanted);
    await first.waitFor('hello');
    await until(() => existsSync(known(space)));
    await until(async () => (await readFile(known(space), 'utf8')).includes('99.1.0'));
    expect(first.screen()).not.toContain('99.1.0');
    first.type('/quit\r');
    await first.exitCode;

    const second = openTerminal(space, ['--plain', '--model', model, 'hi'], wanted);
    await second.waitFor('Version 99.1.0 is available (you have ');
    await second.waitFor('hello again');
    second.type('/quit\r');
    await second.exitCode;
    expect(asked).toEqual(['/ai-code-assistant/latest']);
  },
);

test('[D01] a script never hears of it', async () => {
  const space = await workspace();
  const { url, asked } = await registry('99.1.0');
  await mkdir(path.dirname(known(space)), { recursive: true });
  await writeFile(known(space), '{"checkedAt":1,"latest":"99.0.0"}');
  const server = await serve([says('done')]);
  const { model, env } = doors['openai-chat'](server.url);
  await nameInSettings(space, url);
  const outcome = await aca(space, ['-p', 'go', '--model', model], {
    env: { ...env, AI_ASSISTANT_NO_UPDATE_CHECK: '' },
  });
  expect([outcome, asked]).toEqual([{ code: 0, stdout: 'done\n', stderr: '' }, []]);
});
