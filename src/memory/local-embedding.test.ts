import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { httpClient } from '../lib/network/http-client.ts';
import { localEmbedding } from './local-embedding.ts';
import { rankTexts } from './select.ts';
import { hasVectors, VectorCache, vectorFile } from './vectors.ts';

/** Two dimensions: how much a text is about cats, and about money. */
const meaning = (text: string) => [
  /cat|kitten|purr/i.test(text) ? 1 : 0.1,
  /money|price|cents/i.test(text) ? 1 : 0.1,
];

/** An embedding server like Ollama and others. */
async function serve({ delayMs = 0 } = {}) {
  const asked: string[][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    asked.push(input);
    await sleep(delayMs, undefined, { ref: false });
    const vectors = input.map(meaning);
    const body =
      request.url === '/api/embed'
        ? { embeddings: vectors }
        : { data: vectors.map((embedding) => ({ embedding })) };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'aca-vectors-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const notes = ['The kitten sleeps upstairs.', 'Prices are integers.', 'Nothing of the kind.'];

test.each(['ollama', 'lmstudio'])('[M03] %s: found by meaning, each text embedded once', async (provider) => {
  const { url, asked } = await serve();
  const found = localEmbedding(
    'auto',
    [{ provider, baseUrl: url, models: ['qwen3:8b', 'nomic-embed-text:latest'] }],
    httpClient,
  );
  if (!found) throw new Error('no model was found');
  expect(found.model).toBe('nomic-embed-text:latest');
  const place = await folder();
  const file = vectorFile(place, found.model);
  const open = () => new VectorCache({ file, embed: found.embed });
  expect(hasVectors(place)).toBe(false);
  await open().learn(notes, AbortSignal.timeout(20_000));
  expect(hasVectors(place)).toBe(true);
  await open().learn([...notes, 'One more.'], AbortSignal.timeout(20_000));
  expect(asked).toEqual([notes, ['One more.']]);
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(5);

  const meaning = { vectors: open(), withinMs: 20_000 };
  expect((await rankTexts('where does it purr?', notes, meaning))[0]).toBe(0);
  expect((await rankTexts('how many cents', notes, meaning))[0]).toBe(1);
});

test('a slow or missing service only loses its own matches', async () => {
  const { url } = await serve({ delayMs: 60_000 });
  const place = await folder();
  for (const baseUrl of [url, 'http://127.0.0.1:1']) {
    const found = localEmbedding('ollama/e5', [{ provider: 'ollama', baseUrl, models: ['e5'] }], httpClient);
    if (!found) throw new Error('no model was found');
    const vectors = new VectorCache({
      file: path.join(place, 'known'),
      embed: async (texts) => texts.map(meaning),
    });
    await vectors.learn(notes, AbortSignal.timeout(5000));
    const slow = new VectorCache({ file: path.join(place, 'known'), embed: found.embed });
    const started = performance.now();
    expect(await rankTexts('prices', notes, { vectors: slow, withinMs: 100 })).toEqual([1]);
    expect(performance.now() - started).toBeLessThan(20_000);
  }
});

test('by default, only an embedding model on this machine is used', () => {
  const server = (baseUrl: string, ...models: string[]) => [{ provider: 'ollama', baseUrl, models }];
  const local = 'http://localhost:11434';
  expect(localEmbedding('auto', server(local, 'qwen3:8b'), httpClient)).toBeNull();
  expect(localEmbedding('auto', server('http://10.0.0.7:11434', 'bge-m3'), httpClient)).toBeNull();
  expect(localEmbedding('ollama/bge-m3', server('http://10.0.0.7:11434', 'bge-m3'), httpClient)?.model).toBe(
    'bge-m3',
  );
  expect(localEmbedding('ollama/other', server(local, 'bge-m3'), httpClient)).toBeNull();
  expect(localEmbedding('auto', server(local, 'all-minilm:latest'), httpClient)?.model).toBe(
    'all-minilm:latest',
  );
});
