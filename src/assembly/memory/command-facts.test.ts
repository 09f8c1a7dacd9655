import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEntry } from '../../memory/entry.ts';
import { MemoryStore } from '../../memory/store.ts';
import { createNoteChecks } from './command-facts.ts';

test('[U06] commands that passed are kept once, with the last day; only a missing program removes one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'facts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = new MemoryStore({ folder, project: folder });
  const note = createNoteChecks({
    store,
    sessionId: '12345678-more',
    isClean: (text) => !text.includes('key'),
  });
  const kept = () => store.list().map(({ kind, text }) => `${kind}: ${text}`);
  const old = { date: '2020-01-02', session: 'abc' };
  await store.add([{ kind: 'commands', ...newEntry('`make test` passed with exit code 0', old) }]);

  await note([
    { name: 'make test', exitCode: 0 },
    { name: 'npm run build', exitCode: 0 },
    { name: 'npm run lint', exitCode: 1 },
    { name: 'npm run types', exitCode: null },
    { name: 'npm run key', exitCode: 0 },
  ]);
  const all = [
    'commands: `make test` passed with exit code 0',
    'commands: `npm run build` passed with exit code 0',
  ];
  expect(kept()).toEqual(all);
  expect(store.list()[0]?.date).toBe(new Date().toISOString().slice(0, 10));

  await note([
    { name: 'make test', exitCode: 2 },
    { name: 'npm run build', exitCode: 1 },
  ]);
  expect(kept()).toEqual(all);
  await note([{ name: 'make test', exitCode: 127 }]);
  expect(kept()).toEqual(all.slice(1));
});
