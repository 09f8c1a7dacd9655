import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import type { Permission } from '../contract/permission.ts';
import { headerOf, SessionStore } from './store.ts';

const grantOf = (pattern: string, action: Permission['action'] = 'allow'): Permission => ({
  ...{ type: 'execute', pattern, action, scope: 'session', grantedAt: '2026-01-01T00:00:00.000Z' },
});

async function saved(...grants: Permission[]) {
  const { home } = await workspace();
  const folder = path.join(home, 'data', 'sessions');
  const store = new SessionStore(folder);
  const { session, journal, close } = store.create('/project', { model: 'a/b' });
  const text = { type: 'text' as const, text: 'hello' };
  await journal.append(headerOf(session), {
    type: 'message',
    message: { role: 'user', content: [text], timestamp: '' },
  });
  for (const permission of grants) await journal.append({ type: 'grant', permission });
  await close();
  return { home, folder, store, id: session.id, file: path.join(folder, `${session.id}.jsonl`) };
}

async function grantsIn(store: SessionStore, id: string) {
  const open = await store.resume(id);
  await open?.ready;
  const patterns = (all: readonly Permission[] = []) => all.map(({ pattern }) => pattern);
  const found = { own: patterns(open?.session.permissions), foreign: patterns(open?.foreign) };
  await open?.close();
  return found;
}

test('grants of this program stay valid in the next process; grants written by others do not', async () => {
  const { store, id, file, folder } = await saved(grantOf('Bash(npm test)'));
  const foreign = [
    { type: 'grant', permission: grantOf('Bash(curl *)') },
    { type: 'grant', permission: grantOf('Bash(rm *)'), seal: '0'.repeat(64) },
    { type: 'grant', permission: grantOf('Bash(mv *)'), seal: 7 },
    { type: 'grant', permission: grantOf('Bash(git push)', 'deny') },
  ];
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text + foreign.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const expected = {
    own: ['Bash(npm test)', 'Bash(git push)'],
    foreign: ['Bash(curl *)', 'Bash(rm *)', 'Bash(mv *)'],
  };
  expect(await grantsIn(store, id)).toEqual(expected);
  expect(await grantsIn(new SessionStore(folder), id)).toEqual(expected);
  const key = readFileSync(path.join(path.dirname(folder), 'grants.key'), 'utf8');
  expect(readFileSync(file, 'utf8')).not.toContain(key.trim());
});

test('a fork keeps only the valid grants', async () => {
  const { store, id, file } = await saved(grantOf('Bash(npm test)'));
  const record = { type: 'grant', permission: grantOf('Bash(curl *)') };
  writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify(record)}\n`);
  const fork = await store.fork(id);
  await fork?.close();
  expect(await grantsIn(store, fork?.session.id ?? '')).toEqual({ own: ['Bash(npm test)'], foreign: [] });
});

test('a copy under another name, another key, or none: no grant is valid', async () => {
  const { store, folder, file, id } = await saved(grantOf('Bash(npm test)'));
  const copy = '0f000000-0000-4000-8000-000000000000';
  copyFileSync(file, path.join(folder, `${copy}.jsonl`));
  expect(await grantsIn(store, copy)).toEqual({ own: [], foreign: ['Bash(npm test)'] });
  rmSync(path.join(path.dirname(folder), 'grants.key'));
  expect(await grantsIn(new SessionStore(folder), id)).toEqual({ own: [], foreign: ['Bash(npm test)'] });
});

test('property: any change to a grant breaks its seal', async () => {
  const { store, id, file } = await saved(grantOf('Bash(npm test)'));
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const at = lines.findIndex((line) => line.includes('"grant"'));
  const record = JSON.parse(lines[at] ?? '') as { permission: Permission; seal: string };
  const change = fc.record({
    key: fc.constantFrom('type', 'pattern', 'scope', 'grantedAt'),
    value: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ key, value }) => {
      fc.pre(record.permission[key as keyof Permission] !== value);
      const changed = { ...record, permission: { ...record.permission, [key]: value } };
      writeFileSync(file, `${lines.with(at, JSON.stringify(changed)).join('\n')}\n`);
      expect((await grantsIn(store, id)).own).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
