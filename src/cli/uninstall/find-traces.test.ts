import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { findTraces } from './find-traces.ts';

/** A working system keychain, for the duration of a test. */
function systemKeychain() {
  const kept = new Map<string, string>();
  return {
    get: async (name: string) => kept.get(name) ?? null,
    set: async (name: string, key: string) => void kept.set(name, key),
    remove: async (name: string) => kept.delete(name),
  };
}

test('[D01] parts of the data root, keychain keys, scripts and lines are found; foreign files are distinguished', async () => {
  const { root, home } = await workspace({
    'config.json': '{}',
    'sessions/a.jsonl': '12345',
    'thesis.txt': 'mine',
  });
  const keychain = createKeychain({ home: root, env: {}, system: systemKeychain() });
  await keychain.store('anthropic', 'sk-ant-1234567890');
  const completions = path.join(home, '.config/fish/completions');
  await mkdir(completions, { recursive: true });
  await writeFile(path.join(completions, 'aca.fish'), '# Completion, written by `aca completion fish`.');
  await mkdir(path.join(home, '.zfunc'));
  await writeFile(path.join(home, '.zfunc/_aca'), "# somebody else's");
  await writeFile(path.join(home, '.zshrc'), 'a\nsource <(aca completion zsh)\n');

  expect(await findTraces({ root, home, keychain })).toEqual({
    root,
    parts: [
      { part: 'credentials.json', bytes: expect.any(Number) },
      { part: 'sessions', bytes: 5 },
      { part: 'config.json', bytes: 2 },
    ],
    strangers: ['thesis.txt'],
    keys: ['anthropic'],
    completions: [path.join(completions, 'aca.fish')],
    lines: [`${path.join(home, '.zshrc')}:2`],
  });
});

test('[D01] a folder with our name is ours with its entire content; without traces, nothing is found', async () => {
  const { root, home } = await workspace({ '.ai-assistant/what-a-later-version-keeps': 'x' });
  const own = path.join(root, '.ai-assistant');
  const keychain = createKeychain({ home: own, env: {}, system: systemKeychain() });
  const { parts, strangers } = await findTraces({ root: own, home, keychain });
  expect([parts, strangers]).toEqual([[{ part: 'what-a-later-version-keeps', bytes: 1 }], []]);
  const nowhere = path.join(root, 'nowhere');
  expect(await findTraces({ root: nowhere, home, keychain })).toMatchObject({
    parts: [],
    strangers: [],
    keys: [],
  });
});
