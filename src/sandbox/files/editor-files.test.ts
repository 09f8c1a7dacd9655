import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import type { Files } from '../../contract/tool.ts';
import { createGuard } from '../guard.ts';
import { withBuffers } from './editor-files.ts';
import { createFiles } from './files.ts';

/** A folder with one file, and an editor that has it open; it saves the way `save` does. */
function opened(
  saved: string | Uint8Array,
  buffer?: string,
  save: (name: string, text: string) => void = () => undefined,
) {
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'aca-editor-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const file = path.join(cwd, 'a.txt');
  writeFileSync(file, saved);
  const buffers = new Map(buffer === undefined ? [] : [[file, buffer]]);
  const guard = createGuard({
    cwd,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home: '/nowhere',
  });
  const files: Files = withBuffers(createFiles({ guard, cwd }), {
    cwd,
    buffers: {
      read: async (name) => buffers.get(name) ?? null,
      write: async (name, text) => {
        save(name, text);
        buffers.set(name, text);
      },
    },
  });
  return { files, buffers, file, disk: () => readFileSync(file, 'utf8') };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('what is not saved yet is read, and a change of it lands in the editor and on the disk', async () => {
  const { files, buffers, file, disk } = opened('saved\n', 'typed\n');
  const read = await files.read('a.txt');
  expect(text(read.bytes)).toBe('typed\n');

  await files.write('a.txt', Buffer.from('changed\n'), read);

  expect(buffers.get(file)).toBe('changed\n');
  expect(disk()).toBe('changed\n');
});

test('text typed after the file was read is never overwritten', async () => {
  const { files, buffers, file, disk } = opened('saved\n', 'typed\n');
  const read = await files.read('a.txt');
  buffers.set(file, 'typed more\n');

  await expect(files.write('a.txt', Buffer.from('changed\n'), read)).rejects.toThrow(/unsaved changes/);
  expect(buffers.get(file)).toBe('typed more\n');
  expect(disk()).toBe('saved\n');
});

test('a buffer with other line endings or without a byte order mark is not a change', async () => {
  const { files } = opened('\uFEFFone\r\ntwo\r\n', 'one\ntwo\n');
  const { bytes } = await files.read('a.txt');
  expect(Buffer.from(bytes).toString('utf8')).toBe('\uFEFFone\r\ntwo\r\n');
});

test('bytes that are not text come from the disk, and the version of a file is not known', async () => {
  const { files } = opened(Uint8Array.of(0xff, 0xfe, 0x00), 'something else');
  expect([...(await files.read('a.txt')).bytes]).toEqual([0xff, 0xfe, 0x00]);
  expect(await files.stat('a.txt')).not.toHaveProperty('version');
  expect(await files.stat('none.txt')).toBeNull();
});

sweep([15, 60])(
  'whatever is saved, typed and read in any order, no text is lost (%i runs)',
  async (numRuns) => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('type' as const), text: fc.string() }),
      fc.record({ type: fc.constant('save' as const) }),
      fc.record({ type: fc.constant('read' as const) }),
      fc.record({ type: fc.constant('write' as const), text: fc.string() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { files, buffers, file, disk } = opened('start\n', 'start\n');
        let read = await files.read('a.txt');
        for (const one of steps) {
          if (one.type === 'type') buffers.set(file, one.text);
          else if (one.type === 'save') writeFileSync(file, buffers.get(file) ?? '');
          else if (one.type === 'read') read = await files.read('a.txt');
          else {
            const before = buffers.get(file);
            const isSeen = before === text(read.bytes);
            const done = await files.write('a.txt', Buffer.from(one.text), read).then(
              () => true,
              () => false,
            );
            expect(done && !isSeen).toBe(false);
            expect(buffers.get(file)).toBe(done ? one.text : before);
            if (done) expect(disk()).toBe(one.text);
            read = await files.read('a.txt');
          }
        }
      }),
      { numRuns },
    );
  },
);

const bom = '\uFEFF';
const utf16 = (words: string) => Buffer.from(bom + words, 'utf16le');
const latin1 = (words: string) => Buffer.from(words, 'latin1');
/** How editors save: as they show it, with the endings and the mark of the file, without a mark, in UTF-8, or not. */
const editors: Record<string, (name: string, words: string) => void> = {
  exactly: (name, words) => writeFileSync(name, words),
  'as the file was': (name, words) => writeFileSync(name, bom + words.replaceAll('\n', '\r\n')),
  'without a mark': (name, words) => writeFileSync(name, words.replace(bom, '')),
  'with other line ends': (name, words) => writeFileSync(name, words.replaceAll('\r\n', '\n')),
  'in UTF-8': (name, words) => writeFileSync(name, Buffer.from(words)),
  'not at all': () => undefined,
};
const contents: [what: string, before: Uint8Array, shown: string, after: Uint8Array][] = [
  ['UTF-8', Buffer.from('é 1\n'), 'é 1\n', Buffer.from('é 2\nmore\n')],
  ['CRLF', Buffer.from('1\r\n2\r\n'), '1\n2\n', Buffer.from('1\r\n3\r\n')],
  ['a mark that the editor hides', Buffer.from(`${bom}1\r\n`), '1\n', Buffer.from(`${bom}2\r\n`)],
  ['a mark that the editor shows', Buffer.from(`${bom}1\n`), `${bom}1\n`, Buffer.from(`${bom}2\n`)],
  ['UTF-16', utf16('é 1\n'), 'é 1\n', utf16('é 2\n')],
  ['windows-1252', latin1('caf\xe9 au lait\n'), 'café au lait\n', latin1('caf\xe9 noir\n')],
];

test.each(contents.flatMap((row) => Object.keys(editors).map((how) => [...row, how] as const)))(
  '%s: the disk has exactly what was written, in an editor that saves it',
  async (_, before, shown, after, how) => {
    const { files, buffers, file } = opened(before, shown, editors[how]);
    const read = await files.read('a.txt');
    expect(Buffer.compare(read.bytes, before)).toBe(0);
    await files.write('a.txt', after, read);
    expect(Buffer.compare(readFileSync(file), after)).toBe(0);
    expect((buffers.get(file) ?? '').startsWith(bom)).toBe(shown.startsWith(bom));
    expect((buffers.get(file) ?? '').includes('\r')).toBe(shown.includes('\r'));
    expect(readdirSync(path.dirname(file))).toEqual(['a.txt']);
  },
);

test('unsaved text keeps the encoding, the mark and the line ends of its file', async () => {
  for (const [, before, shown] of contents) {
    const { files } = opened(before, `${shown}é typed\n`);
    const { bytes } = await files.read('a.txt');
    expect(Buffer.compare(bytes.subarray(0, before.length), before)).toBe(0);
    expect(bytes.length).toBeGreaterThan(before.length);
  }
});

test('the disk does not change under an editor, and what the editor formats stays', async () => {
  const seen: string[] = [];
  const { files, file } = opened('1\n', '1\n', (name, words) => {
    seen.push(readFileSync(name, 'utf8'));
    writeFileSync(name, `${words}// formatted\n`);
  });
  await files.write('a.txt', Buffer.from('2\n'), await files.read('a.txt'));
  expect(seen).toEqual(['1\n']);
  expect(readFileSync(file, 'utf8')).toBe('2\n// formatted\n');
});

test('an editor that refuses a write leaves every file as it was', async () => {
  const { files, file } = opened('1\n', '1\n', (name, words) => {
    if (name.endsWith('c.txt') && words !== 'old\n') throw new Error('The buffer is read-only.');
    writeFileSync(name, words);
  });
  const folder = path.dirname(file);
  writeFileSync(path.join(folder, 'c.txt'), 'old\n');
  const change = (name: string) => ({ path: name, bytes: Buffer.from('new\n') });
  const writing = files.writeAll([change('a.txt'), change('b.txt'), change('c.txt')]);
  await expect(writing).rejects.toThrow(/read-only/);
  expect(readdirSync(folder).sort()).toEqual(['a.txt', 'c.txt']);
  expect(readFileSync(file, 'utf8')).toBe('1\n');
  expect(readFileSync(path.join(folder, 'c.txt'), 'utf8')).toBe('old\n');
});
