import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sampled, soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

/** Names that servers give their models, most of which could also be files. */
const IDS = [
  'tiny.gguf',
  'TINY-Q4_0.GGUF',
  '/models/tiny.gguf',
  './models/tiny.gguf',
  '../tiny.gguf',
  '~/models/tiny.gguf',
  'C:\\models\\tiny.gguf',
  'Qwen/Qwen3-8B-GGUF:Q4_K_M',
  'embedded/tiny.gguf',
  'ollama/tiny:latest',
  'models/a b.gguf',
];

/** A server with these models, and a folder with files of the same names that are no models. */
async function machine(models: readonly string[], text = 'from the server') {
  const space = await workspace({ 'tiny.gguf': 'not a model', 'llamacpp/tiny.gguf': 'nor this' });
  const server = await serve([says(text)], { keyless: true, models, loop: true });
  const env = { LLAMACPP_BASE_URL: `${server.url}/v1` };
  return { space, server, env, run: (...args: string[]) => aca(space, args, { env }) };
}

describe('provider/ID is a model of that server, whatever ID looks like', () => {
  sweep(sampled(IDS, 5))('%s', async (id) => {
    const { run, server } = await machine([id]);
    expect(await run('-p', 'hi', '--model', `llamacpp/${id}`)).toEqual({
      code: 0,
      stdout: 'from the server\n',
      stderr: '',
    });
    expect(server.requests.map(({ model }) => model)).toEqual([id]);
  });

  test(
    'in settings, in `models use`, in `models probe`, in /model, and in a resumed session',
    soak,
    async () => {
      const id = '/models/tiny.gguf';
      const { space, server, env, run } = await machine([id, 'other']);
      expect(await run('models', 'use', `llamacpp/${id}`)).toMatchObject({ code: 0, stderr: '' });
      const config = path.join(space.home, '.ai-assistant', 'config.json');
      expect(JSON.parse(await readFile(config, 'utf8'))).toMatchObject({ model: `llamacpp/${id}` });
      expect(await run('-p', 'hi')).toMatchObject({ code: 0, stdout: 'from the server\n' });
      expect(await run('-p', 'again', '--continue')).toMatchObject({ code: 0, stdout: 'from the server\n' });

      const probed = await run('models', 'probe', `llamacpp/${id}`, '--json');
      expect(probed).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(probed.stdout)).toMatchObject({ model: id });

      const before = server.requests.length;
      const screen = openTerminal(space, ['--plain', '--model', 'llamacpp/other'], env);
      await screen.waitFor('llamacpp/other');
      screen.type(`/model llamacpp/${id}\r`);
      await screen.waitFor(`llamacpp/${id}`, 2);
      screen.type('hello\r');
      await screen.waitFor('from the server');
      expect(server.requests.slice(before).map(({ model }) => model)).toEqual([id]);
    },
  );
});

describe('without a provider', () => {
  test('a bare .gguf name that is no file here is looked for on the servers', soak, async () => {
    const { run } = await machine(['served.gguf']);
    expect(await run('-p', 'hi', '--model', 'served.gguf')).toMatchObject({
      code: 0,
      stdout: 'from the server\n',
    });
    expect(await run('-p', 'hi', '--model', 'nowhere.gguf')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'No file and no local server has the model "nowhere.gguf".\nCheck the path, or see what there is with `aca models list`.\n',
    });
  });

  sweep([
    ['a file that exists', 'tiny.gguf', 'tiny.gguf'],
    ['a path from here', './none.gguf', 'project/none.gguf'],
    ['a path without the usual ending', './model', 'project/model'],
    ['~', '~/none.gguf', 'home/none.gguf'],
    ['an absolute path', '/nowhere/tiny.gguf', '/nowhere/tiny.gguf'],
  ])('%s is read as a file', async (_what, name, file) => {
    const { run, server } = await machine([name]);
    const { code, stderr } = await run('-p', 'hi', '--model', name);
    expect(code).toBe(2);
    expect(stderr.split(' ')[0]).not.toBe('No');
    expect(stderr).toContain(file);
    expect(server.requests).toEqual([]);
  });
});
