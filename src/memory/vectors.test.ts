import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { rankByVectors } from './rank.ts';
import { VectorCache } from './vectors.ts';

const patient = () => AbortSignal.timeout(5000);

async function place(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-vectors-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'cache', 'vectors-m.jsonl');
}

test('stored vectors keep their direction, in any process', async () => {
  const file = await place();
  const number = fc.double({ min: -3, max: 3, noNaN: true });
  const vector = fc
    .array(number, { minLength: 8, maxLength: 8 })
    .filter((v) => v.some((n) => Math.abs(n) > 0.1));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(vector, async (made) => {
      const text = `text ${round++}`;
      const embed = async () => [made];
      await new VectorCache({ file, embed }).learn([text], patient());
      const [kept] = new VectorCache({ file, embed }).peek([text]);
      const largest = Math.max(...made.map(Math.abs));
      const off = made.map((n, i) => Math.abs((kept?.[i] ?? Number.NaN) - (127 * n) / largest));
      expect(Math.max(...off)).toBeLessThanOrEqual(0.5 + 1e-9);
      expect(rankByVectors(made, [kept ?? null])).toEqual([0]);
    }),
    { numRuns: 50 },
  );
});

test('torn, foreign and outdated lines are skipped, and computed again', async () => {
  const file = await place();
  const embed = async (texts: readonly string[]) => texts.map((text) => [text.length, 1]);
  await new VectorCache({ file, embed }).learn(['one'], patient());
  const [line = ''] = (await readFile(file, 'utf8')).split('\n');
  const { key } = JSON.parse(line) as { key: string };
  await writeFile(file, `{"key":"${key}","vector":[3,1]}\nnull\n{"key":\n`);
  const again = new VectorCache({ file, embed });
  expect(again.peek(['one'])).toEqual([null]);
  await again.learn(['one'], patient());
  expect(new VectorCache({ file, embed }).peek(['one'])).toEqual([new Int8Array([127, 42])]);
});

test('[Z14] the file never exceeds its limit; what is needed now is kept', async () => {
  const file = await place();
  const embed = async (texts: readonly string[]) => texts.map(() => Array.from({ length: 64 }, () => 1));
  const maxBytes = 20_000;
  for (let session = 0; session < 30; session++) {
    const texts = Array.from({ length: 10 }, (_, i) => `note ${session} ${i}`);
    await new VectorCache({ file, embed, maxBytes }).learn(texts, patient());
    expect((await stat(file)).size).toBeLessThanOrEqual(maxBytes);
    expect(new VectorCache({ file, embed, maxBytes }).peek(texts)).not.toContain(null);
  }
});
