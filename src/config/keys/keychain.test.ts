import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createKeychain } from './keychain.ts';
import { KeychainUnavailable, type OsKeychain } from './os-keychain.ts';

const KEY = 'sk-ant-0123456789';

/** An in-memory system keychain that can be locked. */
function memoryKeychain() {
  const secrets = new Map<string, string>();
  const state = { locked: false, asked: 0 };
  const open = () => {
    state.asked++;
    if (state.locked) throw new KeychainUnavailable('the keyring is locked');
    return secrets;
  };
  const system: OsKeychain = {
    get: async (account) => open().get(account) ?? null,
    set: async (account, secret) => void open().set(account, secret),
    remove: async (account) => open().delete(account),
  };
  return { system, secrets, state };
}

async function store(locked: boolean) {
  const { home } = await workspace();
  const memory = memoryKeychain();
  memory.state.locked = locked;
  const file = path.join(home, 'credentials.json');
  return { ...memory, file, home, keychain: createKeychain({ home, env: {}, system: memory.system }) };
}

describe('[N12] with a system keychain', () => {
  test('a key is stored there, and the file only has its name', async () => {
    const { keychain, secrets, file } = await store(false);

    expect(await keychain.store('anthropic', KEY)).toEqual({ where: 'system keychain' });

    expect(Object.fromEntries(secrets)).toEqual({ anthropic: KEY });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ anthropic: { keychain: true } });
    expect(await keychain.find('anthropic')).toEqual({ key: KEY, source: 'system keychain' });
    expect(await keychain.list()).toEqual([
      { provider: 'anthropic', masked: '…6789', where: 'system keychain' },
    ]);
  });

  test('it is not queried for a key that was never stored', async () => {
    const { keychain, state } = await store(false);
    expect([await keychain.find('anthropic'), state.asked]).toEqual([null, 0]);
  });

  test('a removed key is gone from both', async () => {
    const { keychain, secrets, file } = await store(false);
    await keychain.store('anthropic', KEY);
    expect([await keychain.remove('anthropic'), await keychain.remove('anthropic')]).toEqual([true, false]);
    expect([secrets.size, JSON.parse(await readFile(file, 'utf8'))]).toEqual([0, {}]);
  });

  test('when it is locked, a key is missing with the reason, and removing it is refused', async () => {
    const { keychain, state } = await store(false);
    await keychain.store('anthropic', KEY);
    state.locked = true;

    expect([await keychain.find('anthropic'), keychain.problem()]).toEqual([null, 'the keyring is locked']);
    expect(await keychain.list()).toEqual([
      { provider: 'anthropic', masked: 'not readable: the keyring is locked', where: 'system keychain' },
    ]);
    await expect(keychain.remove('anthropic')).rejects.toThrow(
      'Could not remove the anthropic key from the system keychain: the keyring is locked.',
    );
    state.locked = false;
    expect([(await keychain.find('anthropic'))?.key, keychain.problem()]).toEqual([KEY, null]);
  });
});

describe('without a system keychain', () => {
  test('a key is stored in a private file, and the reason is reported', async () => {
    const { keychain, file } = await store(true);
    await writeFile(file, '{ "openai": { "key": "sk-other-456789" } }');
    await chmod(file, 0o644);

    expect(await keychain.store('anthropic', KEY)).toEqual({ where: file, because: 'the keyring is locked' });

    expect(await keychain.find('anthropic')).toEqual({ key: KEY, source: file });
    expect(await keychain.list()).toEqual([
      { provider: 'openai', masked: '…6789', where: file },
      { provider: 'anthropic', masked: '…6789', where: file },
    ]);
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('a key moves to the keychain once there is one again', async () => {
    const { keychain, file, state } = await store(true);
    await keychain.store('anthropic', KEY);
    state.locked = false;
    await keychain.store('anthropic', KEY);
    expect(await readFile(file, 'utf8')).not.toContain(KEY);
  });

  test('AI_ASSISTANT_KEYCHAIN=0 turns the keychain off', async () => {
    const { home } = await workspace();
    const keychain = createKeychain({ home, env: { AI_ASSISTANT_KEYCHAIN: '0' } });
    expect(await keychain.store('anthropic', KEY)).toEqual({
      where: path.join(home, 'credentials.json'),
      because: 'AI_ASSISTANT_KEYCHAIN turns it off',
    });
  });

  test('a bug in the keychain is not mistaken for its absence', async () => {
    const { home } = await workspace();
    const broken = async () => {
      throw new TypeError('a bug');
    };
    const keychain = createKeychain({ home, env: {}, system: { get: broken, set: broken, remove: broken } });
    await expect(keychain.store('anthropic', KEY)).rejects.toThrow(TypeError);
  });
});

test.each(['{ "anthropic": "sk-secret-key" }', '{ "anthropic": { "key": "sk-secret', '[]'])(
  'a damaged file %j is reported, without its content',
  async (text) => {
    const { home } = await workspace();
    await mkdir(home, { recursive: true });
    await writeFile(path.join(home, 'credentials.json'), text);
    const keychain = createKeychain({ home, env: {}, system: memoryKeychain().system });
    await expect(keychain.find('anthropic')).rejects.toMatchObject({
      message: `${path.join(home, 'credentials.json')} is damaged.`,
      hint: 'Remove it, then store your keys again with `aca keys set`.',
    });
  },
);
