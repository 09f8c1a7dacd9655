import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Key } from '../view/types.ts';
import { KeyReader } from './keys.ts';

/** A keyboard that records its last mode. */
function keyboard() {
  const modes: boolean[] = [];
  const keys: Key[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => modes.push(raw),
  });
  // A stream with what the reader uses of a terminal.
  const reader = new KeyReader(stdin as unknown as NodeJS.ReadStream, (key) => keys.push(key));
  return { stdin, modes, keys, reader };
}

const names = (keys: Key[]) => keys.map((key) => (key.type === 'key' ? key.name : key.type));
const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

test('Escape is reported after a delay, a sequence in two chunks is one key', async () => {
  const { stdin, keys, reader } = keyboard();
  reader.open();
  stdin.write('\x1b');
  await pause(10);
  expect(keys).toEqual([]);
  stdin.write('[A');
  await pause();
  stdin.write('\x1b');
  await pause(100);

  expect(names(keys)).toEqual(['up', 'escape']);
});

test('the terminal is acquired and released, and nothing is read in between', async () => {
  const { stdin, modes, keys, reader } = keyboard();
  reader.open();
  reader.open();
  stdin.write('a');
  await pause();
  reader.close();
  reader.close();
  expect(modes).toEqual([true, false]);
  reader.open();
  stdin.write('b');
  await pause();

  expect(modes).toEqual([true, false, true]);
  expect(names(keys)).toEqual(['a', 'b']);
});

test('input read by another reader is parsed first, and its incomplete end continues with the next chunk', async () => {
  const { stdin, keys, reader } = keyboard();
  const before = reader.open('a\n\u001b[');
  stdin.write('Db\n');
  await pause();

  expect([names(before), names(keys)]).toEqual([
    ['a', 'j'],
    ['left', 'b', 'j'],
  ]);
});

test('a character split between two readers arrives complete', async () => {
  const { stdin, keys, reader } = keyboard();
  const [first, ...rest] = Buffer.from('é');
  stdin.setEncoding('utf8');
  stdin.write(Buffer.from([first ?? 0]));
  await pause();
  reader.open('');
  stdin.write(Buffer.from(rest));
  await pause();

  expect(names(keys)).toEqual(['é']);
});
