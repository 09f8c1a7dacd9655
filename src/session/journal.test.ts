import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { Journal } from './journal.ts';
import { parseJournal } from './parse.ts';
import type { JournalRecord } from './records.ts';

const say = (text: string): JournalRecord => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: '' },
});

test('records are written in order, one per line', async () => {
  const { home } = await workspace();
  const journal = new Journal(path.join(home, 'deep', 'j.jsonl'));
  const records = Array.from({ length: 50 }, (_, i) => say(`line\n${i}`));
  await Promise.all(records.map((record) => journal.append(record)));
  await journal.close();
  expect(parseJournal(await readFile(journal.file))).toEqual({ records, damaged: [] });
});

test('a line torn by a crash loses only itself, even after more was written', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'j.jsonl');
  await writeFile(file, `${JSON.stringify(say('a'))}\n{"type":"mess`);
  const journal = new Journal(file);
  await journal.append(say('b'));
  await journal.close();
  expect(parseJournal(await readFile(file))).toEqual({
    records: [say('a'), say('b')],
    damaged: ['{"type":"mess'],
  });
});

test('[S06] failed writes are reported, and written in order as soon as possible', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'blocked', 'j.jsonl');
  await writeFile(path.join(home, 'blocked'), 'a file where the folder should be');
  const journal = new Journal(file);
  await expect(journal.append(say('a'))).rejects.toThrow('EEXIST');
  await expect(journal.append(say('b'), say('c'))).rejects.toThrow('EEXIST');
  await rm(path.join(home, 'blocked'));
  await journal.append(say('d'));
  await journal.close();
  expect(parseJournal(await readFile(file))).toEqual({
    records: ['a', 'b', 'c', 'd'].map(say),
    damaged: [],
  });
});

test('records that were never written are reported when the journal is closed', async () => {
  const { home } = await workspace();
  await writeFile(path.join(home, 'blocked'), '');
  const journal = new Journal(path.join(home, 'blocked', 'j.jsonl'));
  await expect(journal.append(say('a'))).rejects.toThrow('EEXIST');
  await expect(journal.close()).rejects.toThrow('EEXIST');
});

test('property: no truncation or flipped byte throws or loses an intact record before it', () => {
  const records = ['a', 'b', 'c', 'd'].map(say);
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const lineEnds = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([i]) => i);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
      const damaged = cut ? bytes.subarray(0, at) : Buffer.from(bytes);
      if (!cut) damaged[at] = byte;
      const intact = lineEnds.filter((end) => end < at).length;
      expect(parseJournal(damaged).records.slice(0, intact)).toEqual(records.slice(0, intact));
    }),
  );
});

test('a concurrent sync on another thread is harmless: writing, syncing and closing continue', async () => {
  const { home } = await workspace();
  const journal = new Journal(path.join(home, 'j.jsonl'));
  const records = Array.from({ length: 200 }, (_, i) => say(`line ${i}`));
  for (const [i, record] of records.entries()) {
    await journal.append(record);
    journal.beginSync();
    if (i % 50 === 0) await journal.sync();
  }
  await journal.close();
  expect(parseJournal(await readFile(journal.file))).toEqual({ records, damaged: [] });
});
