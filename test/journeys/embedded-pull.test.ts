import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { GREETS, tinyModel } from '../support/embedded.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

type Faults = {
  cuts?: number;
  sum?: string;
  /** The status of the next requests, first to last, of the hub and of its store; 0 resets the connection. */
  hubFails?: number[];
  storeFails?: number[];
  /** Resolves before the store answers. */
  until?: Promise<void>;
};

/** A hub with one model. The first `cuts` answers break after 100 KB, once these have been written down. */
async function hub(
  space: Workspace,
  { cuts = 0, sum = '', hubFails = [], storeFails = [], until }: Faults = {},
) {
  const content = await readFile(await tinyModel(path.join(space.home, 'source.gguf'), { chains: GREETS }));
  const sha256 = sum || createHash('sha256').update(content).digest('hex');
  const file = path.join(space.home, '.ai-assistant/models/me--mine/small.gguf');
  const ranges: (string | undefined)[] = [];
  let left = cuts;
  const server = createServer(async (request, response) => {
    const status = (request.url === '/store/1' ? storeFails : hubFails).shift();
    if (status === 0) response.destroy();
    else if (status !== undefined) response.writeHead(status, { 'retry-after': '1' }).end();
    else if (request.url === '/me/mine/resolve/main/small.gguf') {
      const headers = { 'x-linked-etag': `"${sha256}"`, 'x-linked-size': content.length };
      response.writeHead(302, { location: '/store/1', ...headers }).end();
    } else if (request.url === '/store/1') {
      ranges.push(request.headers.range);
      await until;
      const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
      const rest = content.subarray(from);
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, etag: '"1"', ...range });
      if (left-- > 0) {
        const some = rest.subarray(0, 100_000);
        response.write(some);
        const watch = setInterval(() => {
          const size = statSync(`${file}.part`, { throwIfNoEntry: false })?.size ?? 0;
          if (size >= from + some.length) response.destroy();
        }, 5);
        response.once('close', () => clearInterval(watch));
      } else response.end(rest);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    env: { HF_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    ranges,
    content,
    file,
  };
}

test('R02 a model is pulled, over broken connections, and told how to be used', async () => {
  const space = await workspace({});
  const { env, ranges, content, file } = await hub(space, { cuts: 2 });

  const { code, stdout, stderr } = await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], {
    env,
  });

  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${file}\n` });
  expect(stderr).toMatch(/^Downloading me\/mine\/small\.gguf \(0\.5 MB\) from 127\.0\.0\.1:\d+\.$/m);
  expect(stderr).toContain('aca models use small');
  expect(stderr).toContain('The runtime is not installed yet. Install it with: aca models setup');
  expect((await readFile(file)).equals(content)).toBe(true);
  expect(ranges).toEqual([undefined, 'bytes=100000-', 'bytes=200000-']);
  const again = await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], { env });
  expect(again.code).toBe(0);
  expect(ranges.length).toBe(3);
});

test('--repo-id and --filename fetch a model before the conversation begins', soak, async () => {
  const space = await workspace({});
  const { env, file } = await hub(space);
  const args = ['-p', 'hello', '--repo-id', 'me/mine', '--filename', 'small.gguf'];

  const { code, stderr } = await aca(space, args, { env });

  expect((await stat(file)).size).toBeGreaterThan(0);
  // All that is missing now is the runtime.
  expect({ code, end: stderr.trim().split('\n').at(-1) }).toEqual({
    code: 2,
    end: 'Install it with: aca models setup',
  });
  const half = await aca(space, ['-p', 'hello', '--repo-id', 'me/mine'], { env });
  expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('Give both') });
});

test('a damaged model is not kept, and nothing is fetched offline or without a yes', soak, async () => {
  const space = await workspace({});
  const { env, file } = await hub(space, { sum: 'ab'.repeat(32) });
  const pull = ['models', 'pull', 'me/mine', 'small.gguf'];

  const damaged = await aca(space, [...pull, '--yes'], { env });
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('the checksum does not match') });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await aca(space, pull, { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Add --yes'),
  });
  const offline = { ...env, AI_ASSISTANT_OFFLINE: '1' };
  expect(await aca(space, [...pull, '--yes'], { env: offline })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Offline mode: nothing was downloaded.'),
  });
});

test('a pull that is interrupted goes on where it was', soak, async () => {
  const space = await workspace({});
  const { env, ranges, file, content } = await hub(space, { cuts: 1000 });
  const first = await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], {
    env,
    onSpawn: (child) => {
      child.stderr?.once('data', () => child.kill('SIGINT'));
    },
  });
  expect(first).toMatchObject({ code: 130, stderr: expect.stringContaining('Run it again to resume.') });

  const second = await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], { env });
  expect(second.code, second.stderr).toBe(0);
  expect((await readFile(file)).equals(content)).toBe(true);
  expect(ranges.length).toBeGreaterThan(2);
});

test('429 and 502 of a hub are retried after a pause, which is printed once', soak, async () => {
  const space = await workspace({});
  const { env, file, content } = await hub(space, { cuts: 1, hubFails: [429, 502] });

  const { code, stderr } = await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], { env });

  expect(code, stderr).toBe(0);
  expect((await readFile(file)).equals(content)).toBe(true);
  expect(stderr).toMatch(/^127\.0\.0\.1:\d+ answered 429\. Retrying in 1s \(1 of 6\)\.$/m);
  expect(stderr).toMatch(/^127\.0\.0\.1:\d+ answered 502\. Retrying in 2s \(2 of 6\)\.$/m);
});

test('a store that is down for a moment is waited for, on a terminal with a countdown', soak, async () => {
  const space = await workspace({});
  const { env, file, content } = await hub(space, { storeFails: [503, 0] });
  const terminal = openTerminal(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], env);

  await terminal.waitFor('answered 503 for small.gguf. Retrying in 1s (1 of 6).');
  await terminal.waitFor('Retrying in 2s (2 of 6).');
  await terminal.waitFor('Retrying in 1s (2 of 6).');

  expect(await terminal.exitCode, terminal.screen()).toBe(0);
  expect((await readFile(file)).equals(content)).toBe(true);
});

test('two processes pull one file: one fetches it, the other waits, and both have it', soak, async () => {
  const space = await workspace({});
  let go: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { env, ranges, file, content } = await hub(space, { until });
  const pull = () =>
    aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], {
      env,
      onSpawn: (child) => {
        child.stderr?.on('data', (text: string) => {
          if (text.includes('Another process is downloading it. Waiting until it is done.')) go();
        });
      },
    });

  const both = await Promise.all([pull(), pull()]);

  expect(both.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: `${file}\n` },
    { code: 0, stdout: `${file}\n` },
  ]);
  expect(ranges).toEqual([undefined]);
  expect((await readFile(file)).equals(content)).toBe(true);
});

test(
  'a download that broke off and damaged files are listed with the next step, and can be removed',
  soak,
  async () => {
    const space = await workspace({});
    const { env, file, content } = await hub(space, { cuts: 1000 });
    await aca(space, ['models', 'pull', 'me/mine', 'small.gguf', '--yes'], {
      env,
      onSpawn: (child) => {
        child.stderr?.on('data', (text: string) => text.includes('% of ') && child.kill('SIGINT'));
      },
    });
    await writeFile(path.join(path.dirname(file), 'cut.gguf'), content.subarray(0, 200_000));
    await writeFile(path.join(path.dirname(file), 'page.gguf'), '<html>Sign in</html>');

    const { stdout } = await aca(space, ['models', 'list'], { env });
    expect(stdout).toMatch(
      /^embedded\/small +incomplete +0\.\d MB\. Resume: aca models pull me\/mine small\.gguf; remove: aca models remove small$/m,
    );
    expect(stdout).toMatch(
      /^embedded\/cut +damaged +cut\.gguf is not a valid model file: it is incomplete, 0\.2 MB of 0\.5 MB\. Remove it: aca models remove cut$/m,
    );
    expect(stdout).toContain(
      'page.gguf is not a valid model file: it is a web page, not the file behind it.',
    );

    const removed = await aca(space, ['models', 'remove', 'small']);
    expect(removed).toMatchObject({ code: 0, stdout: `Removed ${file}.part\n` });
    expect((await aca(space, ['models', 'list'], { env })).stdout).not.toContain('embedded/small');
  },
);

test('a folder named like a model is reported as such', async () => {
  const space = await workspace({ 'model.gguf/README.md': 'no model' });

  expect(await aca(space, ['-p', 'hello', '--model', './model.gguf'])).toMatchObject({
    code: 2,
    stderr: 'model.gguf is not a valid model file: it is a folder.\nSpecify the .gguf file in it.\n',
  });
});
