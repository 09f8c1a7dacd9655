import process from 'node:process';
import { createKeychain } from '../../src/config/keys/keychain.ts';

/** Stores, finds, lists and removes a key, and prints the results: `node use-keychain.mjs HOME`. */
const [, , home = '.'] = process.argv;
const started = performance.now();
const keychain = createKeychain({ home, env: process.env });
const stored = await keychain.store('anthropic', 'sk-ant-0123456789');
const again = createKeychain({ home, env: process.env });
const found = await again.find('anthropic');
const listed = await again.list();
const removed = await again.remove('anthropic');
const quick = performance.now() - started < 15_000;
console.log(JSON.stringify({ stored, found, listed, removed, after: await again.find('anthropic'), quick }));
