import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelProfile } from '../../src/providers/local/profile.ts';
import { aca } from '../support/aca.ts';
import { TASK } from '../support/quirks/brain.ts';
import { quirks } from '../support/quirks/list.ts';
import { type Quirk, serveQuirk, xmlCalls } from '../support/quirks/server.ts';
import { sampled, soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const VARIABLES = {
  ollama: 'OLLAMA_HOST',
  lmstudio: 'LMSTUDIO_BASE_URL',
  llamacpp: 'LLAMACPP_BASE_URL',
  vllm: 'VLLM_BASE_URL',
  local: 'LOCAL_BASE_URL',
};

async function machineWith(quirk: Quirk) {
  const server = await serveQuirk(quirk);
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const base = quirk.provider === 'ollama' ? server.url : `${server.url}/v1`;
  const env = { [VARIABLES[quirk.provider]]: base };
  const model = `${quirk.provider}/tiny`;
  return {
    server,
    space,
    probe: () => aca(space, ['models', 'probe', model, '--json'], { env }),
    run: () => aca(space, ['-p', TASK, '--model', model, '--mode', 'accept-edits'], { env }),
    written: () => readFile(path.join(space.root, 'b.txt'), 'utf8').catch(() => null),
  };
}

const SAID = 'Copied alpha.';

const ids = '[V07][V08][V09][Z06][Z09][Y14][Y36]';

describe(`${ids} the task is done though nobody has probed`, () => {
  sweep(
    sampled(
      quirks.filter(({ needsProbe }) => !needsProbe),
      7,
    ),
  )('$name', async ({ finds: _, tells, said = SAID, ...quirk }) => {
    const { run, written } = await machineWith(quirk);
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, b: await written() }).toEqual({
      code: 0,
      stdout: `${said}\n`,
      b: 'alpha',
    });
    if (tells) expect(stderr).toMatch(tells);
    else expect(stderr).toBe('');
  });
});

describe(`${ids} the probe finds out how it is, and the task is done in that way`, () => {
  sweep(sampled(quirks, 7))('$name', async ({ finds, tells: _, said = SAID, ...quirk }) => {
    const { probe, run, written, server } = await machineWith(quirk);
    const { code, stdout, stderr } = await probe();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout) as ModelProfile).toMatchObject({ model: 'tiny', by: 'probe', ...finds });

    const asked = server.asked.length;
    const done = await run();
    expect({ ...done, b: await written() }).toEqual({
      code: 0,
      stdout: `${said}\n`,
      stderr: '',
      b: 'alpha',
    });
    // Nothing had to be learned any more: three replies, three questions.
    expect(server.asked.length - asked).toBe(3);
  });
});

describe('what was learned is kept', () => {
  const refusing = quirks.find(({ tells }) => tells !== undefined);

  test('a refusal in one run is no news in the next', soak, async () => {
    if (!refusing) throw new Error('no quirk tells anything');
    const { run, server } = await machineWith(refusing);
    expect((await run()).stderr).toMatch(refusing.tells ?? /never/);
    const asked = server.asked.length;
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(server.asked.slice(asked).map(({ hasTools }) => hasTools)).toEqual([false, false, false]);
  });

  test('another model behind the same name is measured again, with one line', soak, async () => {
    const quirk: Quirk = { name: 'changing', provider: 'ollama', asides: {} };
    const { probe, run, server } = await machineWith(quirk);
    expect(JSON.parse((await probe()).stdout)).toMatchObject({ digest: 'sha-1', toolMode: 'native' });
    quirk.asides = { '/api/tags': { models: [{ name: 'tiny', digest: 'sha-2' }] } };
    quirk.inText = xmlCalls;
    const asked = server.asked.length;
    expect(await run()).toMatchObject({
      code: 0,
      stdout: `${SAID}\n`,
      stderr: 'ollama/tiny has changed since it was measured; measuring it again.\n',
    });
    expect(server.asked.length - asked).toBeGreaterThan(3);
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('what servers have', () => {
  test('is listed with size, quantisation, window and abilities', soak, async () => {
    const { space, server } = await machineWith({ name: 'usual', provider: 'ollama' });
    const { stdout } = await aca(space, ['models'], { env: { OLLAMA_HOST: server.url } });
    expect(stdout.split('\n')[0]).toMatch(/^ollama\/tiny +33K context +Q4_0, 1\.0 GB, tools$/);
    const { stdout: json } = await aca(space, ['models', '--json'], { env: { OLLAMA_HOST: server.url } });
    expect((JSON.parse(json) as { local: unknown }).local).toEqual([
      {
        provider: 'ollama',
        baseUrl: server.url,
        models: [
          {
            name: 'tiny',
            sizeBytes: 1e9,
            quantization: 'Q4_0',
            contextWindow: 32_768,
            abilities: { tools: true, images: false, thinking: false },
            digest: 'sha-1',
          },
        ],
      },
    ]);
  });
});
