import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Key } from '../view/types.ts';
import { KeyDecoder } from './key-decoder.ts';

function decode(...chunks: string[]): Key[] {
  const decoder = new KeyDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()];
}

/** `ctrl+alt+shift+name=text`, so that a table of keys is readable. */
function shown(key: Key): string {
  if (key.type === 'paste') return `paste ${JSON.stringify(key.text)}`;
  if (key.type === 'focus') return key.focused ? 'focus' : 'blur';
  if (key.type === 'reply') return `reply ${JSON.stringify(key.text)}`;
  if (key.type === 'release') return `release ${key.name}`;
  const held = [key.ctrl && 'ctrl+', key.alt && 'alt+', key.shift && 'shift+'].filter(Boolean).join('');
  return `${held}${key.name}${key.text === '' ? '' : `=${key.text}`}${key.repeated ? ' again' : ''}`;
}

describe('terminal input is parsed as key presses', () => {
  test.each<[what: string, bytes: string, keys: string[]]>([
    ['letters', 'aB', ['a=a', 'shift+b=B']],
    ['a space', ' ', ['space= ']],
    ['letters of other scripts', 'é漢', ['é=é', '漢=漢']],
    ['an emoji of several code points is one press', '👨‍👩‍👧', ['👨‍👩‍👧=👨‍👩‍👧']],
    ['Enter', '\r', ['return']],
    ['a line feed is Ctrl+J', '\n', ['ctrl+j']],
    ['Tab, Backspace', '\t\x7f', ['tab', 'backspace']],
    ['Ctrl and letters', '\x01\x1a', ['ctrl+a', 'ctrl+z']],
    ['Ctrl and signs', '\x00\x1f', ['ctrl+space', 'ctrl+_']],
    ['Escape', '\x1b', ['escape']],
    ['Escape twice at once', '\x1b\x1b', ['escape', 'escape']],
    ['Alt and a letter', '\x1bb', ['alt+b']],
    ['Alt+Enter', '\x1b\r', ['alt+return']],
    ['Alt+Backspace', '\x1b\x7f', ['alt+backspace']],
    ['Alt and a bracket', '\x1b[', ['alt+[']],
    ['arrows', '\x1b[A\x1bOB', ['up', 'down']],
    ['Ctrl+Right', '\x1b[1;5C', ['ctrl+right']],
    ['Alt+Up by two escapes', '\x1b\x1b[A', ['alt+up']],
    ['Home, End, Delete, PageUp', '\x1b[H\x1b[4~\x1b[3~\x1b[5~', ['home', 'end', 'delete', 'pageup']],
    ['Shift+Tab', '\x1b[Z', ['shift+tab']],
    ['function keys', '\x1bOP\x1b[15~\x1b[[B', ['f1', 'f5', 'f2']],
    ['Shift+Enter of the kitty protocol', '\x1b[13;2u', ['shift+return']],
    ['Ctrl+Enter of the kitty protocol', '\x1b[13;5u', ['ctrl+return']],
    ['Shift+Enter of modifyOtherKeys', '\x1b[27;2;13~', ['shift+return']],
    ['Ctrl+C of the kitty protocol', '\x1b[99;5u', ['ctrl+c']],
    ['Escape of the kitty protocol', '\x1b[27u', ['escape']],
    ['a capital of the kitty protocol', '\x1b[97:65;2u', ['shift+a=A']],
    ['text of the kitty protocol', '\x1b[97;;229u', ['a=å']],
    ['a repeated key, and one let go', '\x1b[97;1:2u\x1b[97;1:3u', ['a=a again', 'release a']],
    [
      'Ctrl+Space held, and let go after Ctrl',
      '\x1b[32;5:2u\x1b[32;1:3u',
      ['ctrl+space again', 'release space'],
    ],
    ['Shift alone', '\x1b[57441;2u', []],
    ['Command and a key', '\x1b[99;9u', []],
    ['the keypad', '\x1b[57400u\x1b[57414u', ['1=1', 'return']],
    ['the window gets and loses the focus', '\x1b[I\x1b[O', ['focus', 'blur']],
    ['a paste', '\x1b[200~a\r\x1b[A b\x1b[201~', ['paste "a\\r\\u001b[A b"']],
    ['what comes at once after a paste', '\x1b[200~a\x1b[201~c\r', ['paste "ac\\r"']],
    ['an end mark in a paste', '\x1b[200~a\x1b[201~!rm x\r\x1b[201~', ['paste "a!rm x\\r"']],
    ['marks within marks', '\x1b[200~a\x1b[200~b\x1b[201~\x1b[200~\rc\x1b[201~', ['paste "ab\\rc"']],
    ['an end mark of eight bits', '\x1b[200~a\x9b201~\r\x1b[201~', ['paste "a\x9b201~\\r"']],
    [
      'a word of the terminal after a paste',
      '\x1b[200~a\x1b[201~\x1b[3;7R',
      ['reply "\\u001b[3;7R"', 'paste "a"'],
    ],
    ['an empty paste', '\x1b[200~\x1b[201~', ['paste ""']],
    ['the background colour', '\x1b]11;rgb:0/0/0\x07x', ['reply "\\u001b]11;rgb:0/0/0\\u0007"', 'x=x']],
    ['a version', '\x1bP>|kitty\x1b\\', ['reply "\\u001bP>|kitty\\u001b\\\\"']],
    ['what the terminal is', '\x1b[?62;22c', ['reply "\\u001b[?62;22c"']],
    ['where the cursor is', '\x1b[12;40R', ['reply "\\u001b[12;40R"']],
    ['where the cursor is, in the first row', '\x1b[1;80R', ['reply "\\u001b[1;80R"']],
    ['where the cursor is, in the corner', '\x1b[1;1R', ['reply "\\u001b[1;1R"']],
    ['F3, also with Ctrl', '\x1b[1;5R\x1bOR', ['ctrl+f3', 'f3']],
    ['Escape right before an answer', '\x1b\x1b[12;80R', ['escape', 'reply "\\u001b[12;80R"']],
    ['Alt and an arrow, the older way', '\x1b\x1b[A', ['alt+up']],
    ['a sequence nobody knows', '\x1b[99z\x1b[77~a', ['a=a']],
    ['a sequence that breaks off', '\x1b[1;\x1b[A', ['up']],
  ])('%s', (_, bytes, keys) => {
    expect(decode(bytes).map(shown)).toEqual(keys);
  });
});

test('a sequence may arrive byte by byte', () => {
  const bytes = '\x1b[1;5C\x1b[200~x\x1b[20y\x1b[201~\x1b]11;rgb:1/2/3\x1b\\';
  expect(decode(...bytes).map(shown)).toEqual([
    'ctrl+right',
    'reply "\\u001b]11;rgb:1/2/3\\u001b\\\\"',
    'paste "x\\u001b[20y"',
  ]);
});

test('Ctrl-C ends a paste whose end was lost, unless more follows immediately', () => {
  const decoder = new KeyDecoder();
  const begun = ['\x1b[200~half', ' of it', '\x03'].flatMap((chunk) => decoder.push(chunk));
  expect([...begun, ...decoder.flush(), ...decoder.push('x')].map(shown)).toEqual([
    'paste "half of it"',
    'x=x',
  ]);
  expect(decode('\x1b[200~half', '\x03', '!rm x\r').map(shown)).toEqual(['paste "half!rm x\\r"']);
});

test('a reply on a slow connection is waited for', () => {
  const decoder = new KeyDecoder();

  expect([...decoder.push('\x1b]11;rgb:'), ...decoder.flush()]).toEqual([]);
  expect(decoder.push('0/0/0\x07').map(shown)).toEqual(['reply "\\u001b]11;rgb:0/0/0\\u0007"']);
});

test.each(['\x1b[1', '\x1b[12;', '\x1b[12;8'])('so is the rest of a cursor position, after %j', (begun) => {
  const decoder = new KeyDecoder();

  expect([...decoder.push(begun), ...decoder.flush()]).toEqual([]);
  const rest = '\x1b[12;80R'.slice(begun.length);
  expect(decoder.push(rest).map(shown)).toEqual(['reply "\\u001b[12;80R"']);
});

test('a cursor position is never parsed as a key', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 17, max: 999 }), (row, column) => {
      const text = `\x1b[${row};${column}R`;
      expect(decode(text)).toEqual([{ type: 'reply', text }]);
    }),
  );
});

test('any paste is unchanged, however it is split', () => {
  const pasted = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\x1b'));
  fc.assert(
    fc.property(pasted, fc.array(fc.nat(30)), (text, cuts) => {
      const bytes = `\x1b[200~${text}\x1b[201~`;
      const chunks: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        chunks.push(bytes.slice(at, at + cut));
        at += cut;
      }
      expect(decode(...chunks, bytes.slice(at))).toEqual([{ type: 'paste', text }]);
    }),
  );
});

test('no input breaks the decoder, and no key produces a control character', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\x1b',
      '[',
      'O',
      ']',
      '1',
      ';',
      '5',
      '~',
      'u',
      'R',
      '\x07',
      '\r',
      'a',
      '漢',
      '\x1b[',
      '200',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const keys = decode(...pieces);
      for (const key of keys) {
        if (key.type === 'key') expect(key.text).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});

test('whatever a pasted text contains, and however it is split, it is one paste and presses no key', () => {
  const part = fc.constantFrom(
    'a',
    '!',
    '\r',
    '\n',
    '\x03',
    '\t',
    '\x1b',
    '\x1b[201~',
    '\x1b[200~',
    '\x9b201~',
    '[201~',
    '\x1b[A',
    '\x1b[13u',
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 8 })),
      (parts, cuts) => {
        const bytes = `\x1b[200~${parts.join('')}\x1b[201~`;
        const chunks: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.slice(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.slice(at));
        // Ctrl-C by itself ends a paste whose end was lost.
        fc.pre(!chunks.includes('\x03'));
        const keys = decode(...chunks).filter(({ type }) => type !== 'reply' && type !== 'focus');
        expect(keys).toEqual([{ type: 'paste', text: expect.any(String) }]);
      },
    ),
    { numRuns: 5_000 },
  );
});
