import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { modelsOnDisk } from './models-on-disk.ts';
import { firstRunOptions, menuOf } from './options.ts';

test('available options come first, each with one key', () => {
  const ways = firstRunOptions({
    servers: [{ provider: 'ollama', baseUrl: 'http://x', models: [{ name: 'qwen3:8b' }] }],
    files: [{ file: '/m/tiny.gguf', bytes: 2_500_000_000 }],
    hasRuntime: false,
  });
  expect(menuOf(ways)).toBe(
    [
      '[1] use ollama/qwen3:8b',
      '[2] use tiny.gguf (2.5 GB); also downloads the runtime, once',
      '[e] download a model that runs on this machine and works offline',
      '[k] paste an API key   [s] search for local servers again   [d] demo   [q] quit',
    ].join('\n'),
  );
  expect(ways[1]).toMatchObject({ key: '2', type: 'model', model: '/m/tiny.gguf', needsRuntime: true });
});

test('models are found where other programs store them, smallest first', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'aca-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const root = path.join(home, '.ai-assistant');
  const put = async (name: string, size: number) => {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'x'.repeat(size));
    return file;
  };
  const big = await put('.lmstudio/models/maker/model/big-Q8_0.gguf', 300);
  const own = await put('.ai-assistant/models/own.gguf', 200);
  const split = await put('.cache/llama.cpp/split-00001-of-00002.gguf', 250);
  await put('.cache/llama.cpp/split-00002-of-00002.gguf', 1);
  await put('.lmstudio/models/maker/model/mmproj-big.gguf', 1);
  await put('.lmstudio/models/maker/model/readme.md', 1);
  const blob = await put('.cache/huggingface/hub/models--a/blobs/abc', 100);
  const link = path.join(home, '.cache/huggingface/hub/models--a/snapshots/1/linked.gguf');
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(blob, link);

  expect(await modelsOnDisk({ root, home })).toEqual([
    { file: link, bytes: 100 },
    { file: own, bytes: 200 },
    { file: split, bytes: 250 },
    { file: big, bytes: 300 },
  ]);
});
