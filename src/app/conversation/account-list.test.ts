import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { loadSettings } from '../settings.ts';
import { createAccountList } from './account-list.ts';

async function accountsOf(model: string, keys: Record<string, string>, env: Record<string, string> = {}) {
  const { root: cwd, home } = await workspace();
  const host = { cwd, env: { AI_ASSISTANT_HOME: home, AI_ASSISTANT_KEYCHAIN: '0', ...env } };
  const keychain = createKeychain({ home, env: host.env });
  for (const [id, key] of Object.entries(keys)) await keychain.store(id, key);
  const switched: string[] = [];
  const accounts = createAccountList({
    host,
    settings: () => loadSettings({}, host),
    model: () => model,
    switchAccount: (account) => switched.push(account),
  });
  const file = path.join(home, 'credentials.json');
  const remembered = async () => JSON.parse(await readFile(path.join(home, 'config.json'), 'utf8'));
  return { accounts, switched, file, remembered };
}

describe('[V05] the accounts of a provider', () => {
  test('are its usual key and its named ones, without those of other providers', async () => {
    const keys = { 'anthropic@work': 'key-of-work-1111', 'openai@home': 'key-of-home-2222' };
    const { accounts, file } = await accountsOf('anthropic/m', keys, { ANTHROPIC_API_KEY: 'k' });
    expect(await accounts.list()).toEqual([
      { name: 'default', where: 'ANTHROPIC_API_KEY', current: true },
      { name: 'work', where: `…1111  ${file}`, current: false },
    ]);
  });

  test('of a cloud include its own login, so that there is a way back', async () => {
    const { accounts, switched, remembered } = await accountsOf('bedrock/m', { 'bedrock@work': 'key-1111' });
    await accounts.use('work');
    expect(await remembered()).toEqual({ accounts: { bedrock: 'work' } });
    expect((await accounts.list()).map(({ name, current }) => [name, current])).toEqual([
      ['default', false],
      ['work', true],
    ]);
    await accounts.use('default');
    expect(switched).toEqual(['bedrock=work', 'bedrock=default']);
    expect(await remembered()).toEqual({ accounts: {} });
  });

  test('must exist', async () => {
    const { accounts, switched } = await accountsOf('anthropic/m', { 'anthropic@work': 'key-1111' });
    await expect(accounts.use('wrk')).rejects.toThrow(
      'There is no account "wrk" for anthropic. Did you mean work?',
    );
    expect(switched).toEqual([]);
  });
});
