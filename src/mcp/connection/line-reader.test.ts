import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineReader } from './line-reader.ts';

function reading(now: () => number = () => 0) {
  const messages: object[] = [];
  return { messages, reader: createLineReader((message) => messages.push(message), now) };
}

const garbage = fc.constantFrom(
  '',
  '   ',
  'loading…',
  '{"half": ',
  '[1,2]',
  'null',
  '42',
  '"text"',
  '{broken}',
);

describe('messages separated by lines', () => {
  test('arrive complete and in order, however the stream is split and whatever is between them', () => {
    const message = fc.record({ id: fc.integer(), text: fc.string({ unit: 'grapheme' }) });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(message, garbage), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (items, cuts) => {
          const { messages, reader } = reading();
          const lines = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
          const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const length = cuts[i % cuts.length] ?? 1;
            expect(reader.push(bytes.subarray(at, at + length))).toBeNull();
            at += length;
          }
          expect(messages).toEqual(items.filter((item) => typeof item !== 'string'));
        },
      ),
    );
  });

  test('an endless line, lines without a message, and an oversized one end the reading', () => {
    const endless = reading().reader;
    const junk = Buffer.alloc(4 * 1024 * 1024, 'x');
    const answers = Array.from({ length: 5 }, () => endless.push(junk));
    expect(answers).toEqual([null, null, null, null, 'it sent a line longer than 16 MB']);

    const noise = reading().reader;
    expect(noise.push(Buffer.from('hm\n'.repeat(1000)))).toBeNull();
    expect(noise.push(Buffer.from('hm\n'))).toBe('it printed something that is not a message: hm');

    let time = 0;
    const { reader: flood, messages } = reading(() => time);
    const lines = (count: number) => Buffer.from('{"a":1}\n'.repeat(count));
    expect(flood.push(lines(20_000))).toBeNull();
    time = 6000;
    expect(flood.push(lines(20_000))).toBeNull();
    expect(flood.push(lines(1))).toBe('it sent more than 20000 messages in 5 seconds');
    expect(messages).toHaveLength(40_001);
  });
});
