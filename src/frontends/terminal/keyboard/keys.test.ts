import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Key } from '../view/types.ts';
import { KeyReader } from './keys.ts';

/** A keyboard that tells in which mode it was last put. */
function keyboard() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => modes.push(raw),
  });
  // A stream with what the reader asks of a terminal.
  return { stdin, modes, reader: new KeyReader(stdin as unknown as NodeJS.ReadStream) };
}

const names = (keys: Key[]) => keys.map((key) => (key.type === 'key' ? key.name : key.type));
const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

test('what is typed before anybody listens is kept', async () => {
  const { stdin, reader } = keyboard();
  reader.open();
  stdin.write('ab');
  await pause();
  const keys: Key[] = [];
  reader.listen((key) => keys.push(key));
  await pause();
  stdin.write('c');
  await pause();

  expect(names(keys)).toEqual(['a', 'b', 'c']);
});

test('the listener that came last has the keyboard, until it stops', async () => {
  const { stdin, reader } = keyboard();
  reader.open();
  const first: Key[] = [];
  const second: Key[] = [];
  reader.listen((key) => first.push(key));
  const stop = reader.listen((key) => second.push(key));
  stdin.write('a');
  await pause();
  stop();
  stdin.write('b');
  await pause();

  expect([names(first), names(second)]).toEqual([['b'], ['a']]);
});

test('a listener that stops in the middle leaves the other keys of one paste of bytes to the next', async () => {
  const { stdin, reader } = keyboard();
  reader.open();
  const rest: Key[] = [];
  reader.listen((key) => rest.push(key));
  const stop = reader.listen(() => stop());
  stdin.write('abc');
  await pause();

  expect(names(rest)).toEqual(['b', 'c']);
});

test('Escape is told after a moment, a sequence in two pieces is one key', async () => {
  const { stdin, reader } = keyboard();
  reader.open();
  const keys: Key[] = [];
  reader.listen((key) => keys.push(key));
  stdin.write('\x1b');
  await pause(10);
  expect(keys).toEqual([]);
  stdin.write('[A');
  await pause();
  stdin.write('\x1b');
  await pause(100);

  expect(names(keys)).toEqual(['up', 'escape']);
});

test('the terminal is taken and given back, and nothing is heard between', async () => {
  const { stdin, modes, reader } = keyboard();
  const keys: Key[] = [];
  reader.listen((key) => keys.push(key));
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

test('what somebody else has read is understood first, and its open end goes on with the next piece', async () => {
  const { stdin, reader } = keyboard();
  const keys: Key[] = [];
  const before = reader.open('a\n\u001b[');
  reader.listen((key) => keys.push(key));
  stdin.write('Db\n');
  await pause();

  expect([names(before), names(keys)]).toEqual([
    ['a', 'j'],
    ['left', 'b', 'j'],
  ]);
});

test('a character cut in two where the keyboard changes hands arrives whole', async () => {
  const { stdin, reader } = keyboard();
  const [first, ...rest] = Buffer.from('é');
  stdin.setEncoding('utf8');
  stdin.write(Buffer.from([first ?? 0]));
  await pause();
  reader.open('');
  const keys: Key[] = [];
  reader.listen((key) => keys.push(key));
  stdin.write(Buffer.from(rest));
  await pause();

  expect(names(keys)).toEqual(['é']);
});
