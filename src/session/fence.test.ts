import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import type { Message } from '../contract/message.ts';
import { headerOf, SessionStore } from './store.ts';

const hello: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: '' };

async function saved(messages: readonly Message[]) {
  const { home } = await workspace();
  const folder = path.join(home, 'sessions');
  const store = new SessionStore(folder);
  const id = randomUUID();
  const { session, journal, close } = store.create('/project', { model: 'a/b' }, id);
  await journal.append(headerOf(session), { type: 'fence', token: 3 });
  for (const message of messages) await journal.append({ type: 'message', message });
  await close();
  return { store, id, text: () => readFileSync(path.join(folder, `${id}.jsonl`), 'utf8') };
}

test('a session opens for the newest fencing token only, and an older one writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 8 }), async (tokens) => {
      const { store, id, text } = await saved([hello]);
      let newest = 3;
      for (const token of tokens) {
        const before = text();
        const opening = store.resume(id, token);
        if (token < newest) {
          await expect(opening).rejects.toThrow(/^Another worker has taken session .* over\.$/);
          expect(text()).toBe(before);
          continue;
        }
        newest = token;
        await (await opening)?.close();
        expect(text()).toBe(`${before}{"type":"fence","token":${token}}\n`);
      }
      // A person has no token, and may always look at it.
      const open = await store.resume(id);
      expect(open?.session.messages).toEqual([hello]);
      await open?.close();
    }),
    { numRuns: 20 },
  );
});

test('the token of a long session is found although its beginning is read later', async () => {
  const long: Message = { ...hello, content: [{ type: 'text', text: 'x'.repeat(3 * 1024 * 1024) }] };
  const { store, id } = await saved([long, hello]);
  await expect(store.resume(id, 2)).rejects.toThrow('taken session');
  const open = await store.resume(id, 3);
  expect(open?.damaged).toEqual([]);
  await open?.close();
});
