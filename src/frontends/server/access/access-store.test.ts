import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AccessStore, type SignedIn } from './access-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.parse('2026-01-01T00:00:00Z');

/** A store, and a clock for it. */
async function storeAt(start = START) {
  const folder = await mkdtemp(path.join(tmpdir(), 'access-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clock = { now: start };
  return { clock, store: new AccessStore(folder, () => clock.now) };
}

async function signedIn(store: AccessStore, secret: string): Promise<SignedIn> {
  const found = await store.signIn(secret, { name: 'Eve', browser: 'Firefox on Linux' });
  if (found === null || found === 'needs a name') throw new Error(`Not signed in: ${found}`);
  return found;
}

test('an invitation works until it expires, and so do the browsers that it signed in', async () => {
  const { clock, store } = await storeAt();
  const { invitation, secret } = await store.createInvitation({ role: 'editor', expiresInMs: 2 * MINUTE_MS });
  expect(invitation.expiresAt).toBe(new Date(START + 2 * MINUTE_MS).toISOString());
  const program = await store.byToken(secret);
  const browser = await signedIn(store, secret);
  expect(program?.expiresAt).toBe(invitation.expiresAt);
  expect(browser.access.expiresAt).toBe(invitation.expiresAt);
  expect(browser.maxAgeSeconds).toBe(120);

  clock.now += 2 * MINUTE_MS - 1;
  expect(await store.byToken(secret)).not.toBe(null);
  expect(await store.byCookie([browser.cookie], browser.key)).not.toBe(null);
  expect(await store.isValid(browser.access)).toBe(true);

  clock.now += 1;
  expect(await store.byToken(secret)).toBe(null);
  expect(await store.byCookie([browser.cookie], browser.key)).toBe(null);
  expect(await store.signIn(secret, { name: 'Eve', browser: '' })).toBe(null);
  expect(program && (await store.isValid(program))).toBe(false);
  expect(await store.isValid(browser.access)).toBe(false);
  expect(await store.listInvitations()).toEqual([]);
});

test('without a time, an invitation lasts a day', async () => {
  const { clock, store } = await storeAt();
  const { secret } = await store.createInvitation({ role: 'viewer' });
  clock.now += DAY_MS - 1;
  expect(await store.byToken(secret)).not.toBe(null);
  clock.now += 1;
  expect(await store.byToken(secret)).toBe(null);
});

test('the link of the owner works for ten minutes and once, and the browser stays signed in for 30 days', async () => {
  const { clock, store } = await storeAt();
  const [late, code] = [await store.createCode(), await store.createCode()];
  clock.now += 10 * MINUTE_MS - 1;
  const browser = await signedIn(store, code);
  expect(browser.maxAgeSeconds).toBe((30 * DAY_MS) / 1000);
  expect(await store.signIn(code, { name: '', browser: '' })).toBe(null);
  clock.now += 1;
  expect(await store.signIn(late, { name: '', browser: '' })).toBe(null);

  clock.now += 30 * DAY_MS - 2;
  expect((await store.byCookie([browser.cookie], browser.key))?.who.role).toBe('owner');
  clock.now += 1;
  expect(await store.byCookie([browser.cookie], browser.key)).toBe(null);
});

test('a long invitation does not keep a browser signed in for more than 30 days', async () => {
  const { clock, store } = await storeAt();
  const { secret } = await store.createInvitation({ role: 'viewer', expiresInMs: 90 * DAY_MS });
  const browser = await signedIn(store, secret);
  clock.now += 30 * DAY_MS;
  expect(await store.isValid(browser.access)).toBe(false);
  expect(await store.byToken(secret)).not.toBe(null);
});
