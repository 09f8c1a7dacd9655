import { describe, expect, test } from 'vitest';
import { findKey, type KeyPlaces } from './keys.ts';

const nothing: KeyPlaces = {
  keyEnv: ['VENDOR_KEY', 'VENDOR_OLD_KEY'],
  env: {},
  config: { providers: {}, accounts: {} },
  keychain: { find: async () => null },
};
const everything: KeyPlaces = {
  keyEnv: ['VENDOR_KEY', 'VENDOR_OLD_KEY'],
  env: { MY_KEY: 'k1', AI_ASSISTANT_API_KEY: 'k2', VENDOR_KEY: 'k3', VENDOR_OLD_KEY: 'k4' },
  config: {
    provider: 'vendor',
    apiKey: 'k6',
    providers: { vendor: { apiKeyEnv: 'MY_KEY', apiKey: 'k5' } },
    accounts: {},
  },
  keychain: { find: async (provider) => ({ key: `k7 of ${provider}`, source: 'system keychain' }) },
};

describe('[V05] the key of a vendor', () => {
  test('is null when no source has one', async () => {
    expect(await findKey('vendor', nothing)).toBeNull();
  });

  test('comes from the environment before settings before stored keys', async () => {
    const env: Record<string, string | undefined> = { ...everything.env };
    const own = { ...everything.config.providers.vendor };
    const found = [];
    const look = (config: KeyPlaces['config']) => findKey('vendor', { ...everything, env, config });
    for (const name of ['MY_KEY', 'AI_ASSISTANT_API_KEY', 'VENDOR_KEY', 'VENDOR_OLD_KEY']) {
      found.push(await look({ ...everything.config, providers: { vendor: own } }));
      delete env[name];
    }
    found.push(await look({ ...everything.config, providers: { vendor: own } }));
    found.push(await look({ provider: 'vendor', apiKey: 'k6', providers: {}, accounts: {} }));
    found.push(await look({ provider: 'vendor', providers: {}, accounts: {} }));

    expect(found).toEqual([
      { key: 'k1', source: 'MY_KEY' },
      { key: 'k2', source: 'AI_ASSISTANT_API_KEY' },
      { key: 'k3', source: 'VENDOR_KEY' },
      { key: 'k4', source: 'VENDOR_OLD_KEY' },
      { key: 'k5', source: 'providers.vendor.apiKey' },
      { key: 'k6', source: 'apiKey' },
      { key: 'k7 of vendor', source: 'system keychain' },
    ]);
  });

  test.each([
    [
      { vendor: 'work' },
      { key: 'k7 of vendor@work', source: 'system keychain, account work', account: 'work' },
    ],
    [{ '*': 'work' }, { key: 'k7 of vendor@work', source: 'system keychain, account work', account: 'work' }],
    [
      { '*': 'home', vendor: 'work' },
      { key: 'k7 of vendor@work', source: 'system keychain, account work', account: 'work' },
    ],
    [{ other: 'work' }, { key: 'k1', source: 'MY_KEY' }],
    [
      { '*': 'work', vendor: 'default' },
      { key: 'k1', source: 'MY_KEY' },
    ],
  ])('of the accounts %j is theirs, whatever else there is', async (accounts, expected) => {
    const found = await findKey('vendor', { ...everything, config: { ...everything.config, accounts } });
    expect(found).toEqual(expected);
  });

  test('of an account that has none is missing, not another one', async () => {
    const config = { ...everything.config, accounts: { vendor: 'work' } };
    expect(await findKey('vendor', { ...everything, config, keychain: nothing.keychain })).toBeNull();
  });

  test('for one vendor is never given to another', async () => {
    const places = { ...everything, keyEnv: [], keychain: nothing.keychain };
    expect(await findKey('other', places)).toBeNull();
    expect(await findKey('constructor', places)).toBeNull();
  });

  test('is trimmed, and a blank one counts as missing', async () => {
    expect(await findKey('vendor', { ...nothing, env: { VENDOR_KEY: ' ', VENDOR_OLD_KEY: 'k\n' } })).toEqual({
      key: 'k',
      source: 'VENDOR_OLD_KEY',
    });
  });
});
