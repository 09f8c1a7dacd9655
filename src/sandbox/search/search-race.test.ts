// @module-tag soak
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';

const FILES = 300;
const RACE_MS = 3_000;

/** Each file in turn is a link to the secret, long enough for a search to encounter it. */
const swapper = `
  const fs = require('node:fs');
  const { workerData: { folder, secret, shared } } = require('node:worker_threads');
  const flags = new Int32Array(shared);
  for (let n = 0; Atomics.load(flags, 0) === 0; n++) {
    const file = folder + '/f' + (n % ${FILES}) + '.txt';
    fs.symlinkSync(secret, file + '.spare');
    fs.renameSync(file + '.spare', file);
    for (const end = performance.now() + 0.3; performance.now() < end; );
    fs.writeFileSync(file + '.spare', 'needle mine\\n');
    fs.renameSync(file + '.spare', file);
    Atomics.add(flags, 1, 1);
  }
`;

test("[X05] [R08] files replaced by links during a search never show the links' targets", async () => {
  const { root, home, context } = await bench();
  const secret = path.join(home, 'secret');
  writeFileSync(secret, 'needle canary\n');
  const folder = path.join(root, 'many');
  mkdirSync(folder);
  for (let i = 0; i < FILES; i++) writeFileSync(path.join(folder, `f${i}.txt`), 'needle mine\n');

  const shared = new SharedArrayBuffer(8);
  const flags = new Int32Array(shared);
  const worker = new Worker(swapper, { eval: true, workerData: { folder, secret, shared } });
  const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  const shown = new Map<string, number>();
  try {
    const { signal } = new AbortController();
    for (const end = Date.now() + RACE_MS; Date.now() < end; ) {
      const { lines } = await context.search.grep(
        { pattern: 'needle', mode: 'content' },
        { limit: FILES, signal },
      );
      for (const line of lines) {
        const text = line.split(':').at(-1) ?? '';
        shown.set(text, (shown.get(text) ?? 0) + 1);
      }
    }
  } finally {
    Atomics.store(flags, 0, 1);
    await ended;
  }
  expect([...shown.keys()]).toEqual(['needle mine']);
  expect(Atomics.load(flags, 1)).toBeGreaterThan(100);
});
