import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWorker, tinyProvider } from '../../../test/support/embedded.ts';
import { type PlayedGpu, playedRuntime } from '../../../test/support/played-runtime.ts';
import { describeProbe } from './gpu-words.ts';
import { markBroken, probeGpus, readProbe, workingGpu } from './probe.ts';
import type { InstalledRuntime } from './runtime-folder.ts';

const folders: string[] = [];
let worker: string;

beforeAll(async () => {
  worker = await buildWorker();
});

afterAll(async () => {
  for (const file of [worker, ...folders]) await rm(file, { recursive: true, force: true });
});

type Gpus = Parameters<typeof playedRuntime>[0];

async function runtimeWith(gpus: Gpus, older?: PlayedGpu): Promise<InstalledRuntime> {
  const runtime = await playedRuntime(gpus, older);
  folders.push(runtime.folder);
  return runtime;
}

const engine = () => ({ worker, env: { PATH: process.env.PATH ?? '' } });
const crash = 'CUDA does not work here: it crashes with this driver';

describe('what works here is found by computing something', () => {
  test.each<[what: string, gpus: Gpus, older: PlayedGpu | undefined, words: string]>([
    ['CUDA that works', { cuda: 'works', vulkan: 'works' }, undefined, 'GPU: Played Card, CUDA'],
    [
      'CUDA that aborts, with Vulkan',
      { cuda: 'aborts', vulkan: 'works' },
      undefined,
      `GPU: Played Card, Vulkan (${crash})`,
    ],
    ['CUDA that aborts, with an older CUDA', { cuda: 'aborts' }, 'works', 'GPU: Played Card, CUDA'],
    ['two of CUDA that abort', { cuda: 'aborts' }, 'aborts', `CPU only: ${crash}`],
    [
      'nothing that works',
      { cuda: 'aborts', vulkan: 'has no library' },
      'has no library',
      `CPU only: ${crash}; Vulkan does not work here: its libraries cannot be loaded`,
    ],
  ])('%s', async (_what, gpus, older, words) => {
    expect(describeProbe(await probeGpus(await runtimeWith(gpus, older), engine()), [])).toBe(words);
  });

  test('a machine without a card is not tried', async () => {
    const runtime = await runtimeWith({});
    expect(describeProbe(await probeGpus(runtime, { worker: '/nonexistent', env: {} }), [])).toBe('CPU only');
  });

  test('it is remembered until the driver or the runtime changes', async () => {
    const runtime = await runtimeWith({ cuda: 'works' });
    const first = await probeGpus(runtime, engine());
    expect(await probeGpus(runtime, { worker: '/nonexistent', env: {} })).toEqual(first);
    const file = path.join(runtime.folder, 'probe.json');
    const { key, ...rest } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...rest, key: `${key} of another driver` }));
    expect(await readProbe(runtime)).toBeUndefined();
    await writeFile(file, '{');
    expect(await readProbe(runtime)).toBeUndefined();
  });

  test('the library of the newer CUDA stays if the older one is no better', async () => {
    const { folder } = await runtimeWith({ cuda: 'aborts' }, 'aborts');
    const packages = ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext'];
    await probeGpus({ folder, packages }, engine());
    const bins = 'node_modules/@node-llama-cpp/linux-x64-cuda/bins/linux-x64-cuda';
    expect(existsSync(path.join(folder, bins, 'libggml-cuda.so'))).toBe(true);
  });
});

describe('a card that fails at its work', () => {
  async function replies(gpus: Gpus, prompts: number) {
    const runtime = await runtimeWith(gpus);
    const notices: string[] = [];
    const provider = await tinyProvider(
      path.join(runtime.folder, 'model.gguf'),
      {},
      {
        ...engine(),
        runtime,
        notice: (text) => notices.push(text),
      },
    );
    const texts: string[] = [];
    for (let i = 0; i < prompts; i++) {
      const content = [{ type: 'text' as const, text: 'hello' }];
      const messages = [{ role: 'user' as const, content, timestamp: '' }];
      const request = { model: 'tiny', system: '', messages };
      let text = '';
      for await (const event of provider.stream(request, new AbortController().signal))
        if (event.type === 'text') text += event.text;
      texts.push(text);
    }
    await provider.close();
    return { texts, notices, runtime };
  }

  test('is given up after a crash: the prompt is answered from the CPU, and so are all later ones', async () => {
    const { texts, notices, runtime } = await replies({ cuda: 'aborts later' }, 2);
    expect(texts).toEqual(['On the CPU.', 'On the CPU.']);
    expect(notices).toEqual([
      'GPU: Played Card, CUDA, 3 of 3 layers',
      'CUDA crashed, and is not used any more with this driver.',
      'CPU only: CUDA does not work here: it crashed.',
    ]);
    expect(workingGpu((await readProbe(runtime)) ?? { trials: [] }).gpu).toBe('none');
  });

  test('is not blamed for a model that is too large for it', async () => {
    const { texts, notices, runtime } = await replies({ cuda: 'has too little memory' }, 1);
    expect(texts).toEqual(['On the CPU.']);
    expect(notices[0]).toBe('CUDA cannot load the model: Out of memory');
    expect(workingGpu((await readProbe(runtime)) ?? { trials: [] }).gpu).toBe('cuda');
  });

  test('gives way to the next one, and is not tried again with this driver', async () => {
    const runtime = await runtimeWith({ cuda: 'works', vulkan: 'works' });
    await probeGpus(runtime, engine());
    await markBroken(runtime, 'cuda', 'it crashed');
    expect(workingGpu(await probeGpus(runtime, engine())).gpu).toBe('vulkan');
  });
});
