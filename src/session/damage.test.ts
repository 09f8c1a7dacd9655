import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerTo,
  bytesOf,
  damage,
  damages,
  header,
  journalOf,
  journals,
  prompt,
  reply,
} from '../../test/support/crash/journals.ts';
import { closedHistory, verifyHistory } from '../../test/support/crash/verify.ts';
import { sweep } from '../../test/support/soak.ts';
import { begin as beginRun, edit, storeFor } from '../../test/support/undo.ts';
import { workspace } from '../../test/support/workspace.ts';
import { textOf } from '../contract/message.ts';
import { type Loaded, loadJournal } from './load.ts';
import { lostRecords } from './lost-records.ts';
import { parseJournal } from './parse.ts';
import { fold, type JournalRecord } from './records.ts';
import { SessionStore } from './store.ts';

async function fileFor() {
  const { home } = await workspace();
  const folder = path.join(home, 'sessions');
  mkdirSync(folder);
  return { folder, file: path.join(folder, 's.jsonl'), store: new SessionStore(folder) };
}

async function loadedFrom(file: string, bytes: Buffer): Promise<Loaded | null> {
  writeFileSync(file, bytes);
  const loaded = loadJournal(file);
  await loaded?.ready;
  return loaded;
}

/** Deltas are only parsed where needed. */
const lasting = (records: readonly JournalRecord[]) => records.filter(({ type }) => type !== 'delta');

describe('[Y05] [Y11] property: a journal of every kind of record, with arbitrary damage', () => {
  sweep([50, 400])(
    'records before the damage are kept, and the history can be sent (%i runs)',
    async (numRuns) => {
      const { file } = await fileFor();
      await fc.assert(
        fc.asyncProperty(
          journals,
          fc.array(damages, { minLength: 1, maxLength: 3 }),
          async (records, kinds) => {
            const [first, ...more] = kinds;
            if (!first) return;
            const { bytes, line } = damage(records, first);
            const intact = lasting(records.slice(0, line));
            expect(lasting(parseJournal(bytes).records).slice(0, intact.length)).toEqual(intact);
            const loaded = await loadedFrom(file, bytes);
            if (intact.length > 0) expect(loaded).not.toBe(null);
            if (loaded) verifyHistory(closedHistory(loaded));
            // After repeated damage the only guarantee is that it can be read.
            const worse = more.reduce((now, kind) => damage(parseJournal(now).records, kind).bytes, bytes);
            const rest = worse.length > 0 ? await loadedFrom(file, worse) : null;
            if (rest) verifyHistory(closedHistory(rest));
          },
        ),
        { numRuns },
      );
    },
  );

  sweep([50, 200])('messages before the damage are messages of the session (%i runs)', async (numRuns) => {
    const { file } = await fileFor();
    const whole = journals.filter((records) => records.every(({ type }) => type !== 'rewind'));
    await fc.assert(
      fc.asyncProperty(whole, damages, async (records, kind) => {
        const { bytes, line } = damage(records, kind);
        const said = records.slice(0, line).filter(({ type }) => type === 'header' || type === 'message');
        const before = fold(said, 's')?.session.messages ?? [];
        const loaded = await loadedFrom(file, bytes);
        expect(loaded?.session.messages.slice(0, before.length) ?? []).toEqual(before);
      }),
      { numRuns },
    );
  });

  sweep([2, 12])(
    'a long journal behaves the same, and its initial part is correct (%i runs)',
    async (numRuns) => {
      const { file } = await fileFor();
      const turns = Array.from({ length: 30 }, (_, i) => ({
        text: `t${i}`,
        calls: i % 3,
        aside: i % 8,
        pad: 50_000,
      }));
      const records = journalOf([...turns, ...turns].map((turn) => ({ ...turn, pad: 60_000 })));
      expect(bytesOf(records).length).toBeGreaterThan(2.5 * 1024 * 1024);
      await fc.assert(
        fc.asyncProperty(damages, async (kind) => {
          const { bytes, line } = damage(records, kind);
          writeFileSync(file, bytes);
          const loaded = loadJournal(file);
          if (line > 0) expect(loaded).not.toBe(null);
          if (!loaded) return;
          verifyHistory(closedHistory(loaded));
          await loaded.ready;
          verifyHistory(closedHistory(loaded));
          const { records: all, damaged } = parseJournal(bytes);
          const { session, unfinished } = fold(all, 's') ?? {};
          expect(loaded).toMatchObject({ session, unfinished, damaged });
        }),
        { numRuns },
      );
    },
  );

  test('a journal of a newer version is neither resumed nor forked, and stays as it is', async () => {
    const { file, store } = await fileFor();
    const text = `${JSON.stringify({ ...header, version: 2 })}\n{"type":"other"}\n`;
    writeFileSync(file, text);
    const because = 'Session s was written by a newer version of aca (journal version 2).';
    await expect(store.resume('s')).rejects.toThrow(because);
    await expect(store.fork('s')).rejects.toThrow(because);
    await expect(store.latest('/project')).rejects.toThrow(because);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('unknown record types of a newer version survive a resume and later writes', async () => {
    const { file, store } = await fileFor();
    const newer = '{"type":"newer","deep":{"a":[1]}}';
    writeFileSync(file, Buffer.concat([bytesOf([header, prompt('a')]), Buffer.from(`${newer}\n`)]));
    const open = await store.resume('s');
    await open?.journal.append(prompt('b'));
    await open?.close();
    expect(readFileSync(file, 'utf8').split('\n')[2]).toBe(newer);
    expect((await store.read('s'))?.messages.map((message) => textOf(message))).toEqual(['a', 'b']);
  });
});

describe('after damage', () => {
  test('a lost answer in the middle is reported as lost, a duplicate is kept once', () => {
    const records: JournalRecord[] = [
      header,
      prompt('a'),
      { type: 'message', message: reply('r', ['one', 'two']) },
      { type: 'message', message: answerTo('two', '2') },
      { type: 'message', message: answerTo('two', '2') },
      prompt('b'),
    ];
    const messages = fold(records, 's')?.session.messages ?? [];
    expect(messages.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', 'a'],
      ['assistant', 'r'],
      ['tool', '2'],
      ['tool', 'The result of this call was lost, so its outcome is unknown. Check before repeating it.'],
      ['user', 'b'],
    ]);
  });

  test('without its header a session is found by its file, belongs to no folder, and is listed', async () => {
    const { file, store } = await fileFor();
    writeFileSync(file, `{"type":"hea\n${bytesOf([prompt('a')])}`);
    const open = await store.resume('s');
    expect(open?.session).toMatchObject({ id: 's', workingDirectory: '', permissions: [] });
    await open?.close();
    expect(store.list()).toMatchObject([{ id: 's', firstPrompt: 'a', messageCount: 1 }]);
    expect(await store.latest('/project')).toBe(null);
  });

  test('a file without any intact record is not a session', async () => {
    const { file, store } = await fileFor();
    writeFileSync(file, '{"type":"hea');
    expect(await store.resume('s')).toBe(null);
    expect(store.list()).toEqual([]);
  });

  test('[T14] an answer larger than the initial read is not mistaken for a call that never ran', async () => {
    const { file } = await fileFor();
    const message = answerTo('one', 'x'.repeat(3 * 1024 * 1024));
    const loaded = await loadedFrom(
      file,
      bytesOf([
        header,
        prompt('a'),
        { type: 'message', message: reply('r', ['one']) },
        { type: 'call_started', callId: 'one' },
        { type: 'call_answered', message },
      ]),
    );
    expect(loaded?.unfinished.answered.get('one')).toEqual(message);
  });

  test('[T14] a fork knows as much about unfinished calls as its origin', async () => {
    const { file, store } = await fileFor();
    const records: JournalRecord[] = [
      header,
      prompt('a'),
      { type: 'message', message: reply('r', ['one', 'two', 'three']) },
      { type: 'call_started', callId: 'one' },
      { type: 'call_started', callId: 'two' },
      { type: 'call_answered', message: answerTo('one', '1') },
    ];
    writeFileSync(file, bytesOf(records));
    const fork = await store.fork('s');
    expect(fork?.unfinished).toEqual({
      started: new Set(['one', 'two']),
      answered: new Map([['one', answerTo('one', '1')]]),
    });
    const id = fork?.session.id ?? '';
    await fork?.close();
    const again = await store.resume(id);
    expect(again?.unfinished).toEqual(fork?.unfinished);
    await again?.close();
  });
});

sweep([60, 300])('a damaged list of sessions is rebuilt (%i runs)', async (numRuns) => {
  const { folder, file, store } = await fileFor();
  writeFileSync(file, bytesOf([header, prompt('a')]));
  const cache = path.join(folder, 'index.cache');
  store.list();
  const bytes = readFileSync(cache);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (place, byte) => {
      const flipped = Buffer.from(bytes);
      flipped[place] = byte;
      writeFileSync(cache, flipped);
      expect(store.list().length).toBe(1);
    }),
    { numRuns },
  );
});

sweep([40, 200])(
  'property: a damaged undo log never throws, and never restores content that did not exist (%i runs)',
  async (numRuns) => {
    const { root, home, at, open, store } = await storeFor({ 'a.txt': 'one\n' });
    beginRun(store);
    await edit(store, at('a.txt'), 'two\n');
    await edit(store, at('b.txt'), 'new\n');
    await store.close();
    const log = path.join(home, 'undo', 's.jsonl');
    const bytes = readFileSync(log);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (place, byte) => {
        const flipped = Buffer.from(bytes);
        flipped[place] = byte;
        writeFileSync(log, flipped);
        const preview = await open().previewUndo();
        for (const { path: touched } of preview?.files ?? []) expect(touched.startsWith(root)).toBe(true);
      }),
      { numRuns },
    );
  },
);

describe('a damaged last record', () => {
  const records = [header, prompt('a'), { type: 'message', message: reply('r') } as const, prompt('b')];
  const whole = bytesOf(records);
  const before = bytesOf(records.slice(0, -1)).length;

  test('is reported by the first resume only, wherever it was cut', async () => {
    for (let end = before + 1; end < whole.length - 1; end += 7) {
      const { file, store } = await fileFor();
      writeFileSync(file, whole.subarray(0, end));
      const lost = whole.subarray(before, end).toString();
      const told: string[][] = [];
      for (const text of ['c', 'd', 'e']) {
        const open = await store.resume('s');
        await open?.ready;
        told.push([...(open?.damaged ?? [])]);
        await open?.journal.append(prompt(text));
        await open?.close();
      }
      expect(told).toEqual([[lost], [], []]);
    }
  });

  test('is reported together with later damage, and an intact file reports nothing', async () => {
    const { file, store } = await fileFor();
    const told = async () => {
      const open = await store.resume('s');
      await open?.ready;
      await open?.close();
      return open?.damaged;
    };
    writeFileSync(file, whole);
    expect(await told()).toEqual([]);
    writeFileSync(file, Buffer.concat([whole, Buffer.from('one\n')]));
    expect(await told()).toEqual(['one']);
    writeFileSync(file, Buffer.concat([whole, Buffer.from('one\ntwo')]));
    expect(await told()).toEqual(['two']);
    expect(await told()).toEqual([]);
    expect(readFileSync(file.replace('.jsonl', '.damaged.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test.each([
    [bytesOf([prompt('a')]).toString(), 'a prompt'],
    [bytesOf([{ type: 'message', message: reply('r') }]).toString(), 'an answer from the model'],
    [bytesOf([{ type: 'message', message: answerTo('1', 'r') }]).toString(), 'the result of a tool call'],
    [
      bytesOf([{ type: 'call_answered', message: answerTo('1', 'r') }]).toString(),
      'the result of a tool call',
    ],
    [bytesOf([header]).toString(), 'the start of the session'],
    ['{"type":"message","mess', 'a message'],
    ['{"type":"cost","costUsd', 'a record of type cost'],
    ['{"type":"constructor","x', 'a record of type constructor'],
    ['{"ty', 'an unreadable record'],
    ['\u0000\u0000', 'an unreadable record'],
  ])('%j is named: %s', (line, name) => {
    expect(lostRecords([line, line])).toEqual([name]);
  });
});
