import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholePastCall } from '../../../app/conversation/past-calls.ts';
import type { Message } from '../../../contract/message.ts';
import { fitTo } from '../text/measure.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { Key, Line } from '../view/types.ts';
import { PagerDocument } from './document.ts';
import { Pager } from './pager.ts';

const size = { columns: 40, rows: 8, theme: themeOf('dark', 'none') };
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp: '' });
const says = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  provider: 'p',
  model: 'm',
  stopReason: 'end',
  timestamp: '',
});
const plain = (text: string): Line[] => text.split('\n').map((line) => [{ text: fitTo(line, 30) }]);
const talk = (exchanges: number) =>
  Array.from({ length: exchanges }, (_, i) => [user(`prompt ${i}`), says(`answer ${i}`)]).flat();

const key = (name: string): Key => {
  const text = [...name].length === 1 ? name : '';
  const ctrl = name.startsWith('ctrl+');
  const plainName = ctrl ? name.slice(5) : name.toLowerCase();
  return { type: 'key', name: plainName, text, ctrl, alt: false, shift: false };
};

function open(messages: Message[], callId?: string) {
  let rendered = 0;
  const document = new PagerDocument(
    { title: 'Conversation', messages: () => messages },
    {
      folded: false,
      describe: (call) => wholePastCall(call, (path) => path),
      markdown: (text) => {
        rendered += 1;
        return plain(text);
      },
    },
  );
  const pager = new Pager(document, callId === undefined ? {} : { callId });
  const lines = (at = size, news: { text: string } | null = null) => pager.lines(at, news);
  const rows = (at = size) => lines(at).map((line) => line.map(({ text }) => text).join(''));
  const press = (...names: string[]) => names.map((name) => pager.press(key(name))).at(-1);
  rows();
  return { rows, lines, press, pager, rendered: () => rendered };
}

const search = (words: string) => ['/', ...words, 'return'];

describe('the pager', () => {
  test('starts at the end, and moves by rows, pages and to both ends', () => {
    const { rows, press } = open(talk(20));
    expect(rows()).toEqual([
      ...['> prompt 18', '', 'answer 18', '', '> prompt 19', '', 'answer 19'],
      'Conversation · end',
    ]);
    press('up');
    expect(rows()[0]).toBe('');
    press('pageup');
    expect(rows().at(-2)).toBe('');
    press('g');
    expect(rows().slice(0, 2)).toEqual(['', '> prompt 0']);
    expect(rows().at(-1)).toBe('Conversation · 1 of 40');
    press('pagedown', 'down', 'k', 'j', 'end');
    expect(rows().at(-1)).toBe('Conversation · end');
  });

  test.each(['q', 'escape', 'ctrl+o', 'ctrl+c'])('%s closes it', (name) => {
    expect(open(talk(1)).press(name)).toBe(false);
  });

  test('a conversation shorter than the screen starts at its top, and an empty one is empty', () => {
    expect(open(talk(1)).rows()).toEqual([
      '',
      '> prompt 0',
      '',
      'answer 0',
      '',
      '',
      '',
      'Conversation · end',
    ]);
    const { rows, press } = open([]);
    press('up', 'pagedown', 'g', 'G', ...search('x'), 'n', 'N');
    expect(rows().slice(0, -1)).toEqual(Array.from({ length: 7 }, () => ''));
  });

  test('finds text in both directions and around the end, and marks it', () => {
    const { rows, lines, press } = open([...talk(20), user('a needle'), ...talk(20), says('The Needle')]);
    press('g', ...search('needle'));
    expect(rows()).toContain('> a needle');
    const marked = lines().flatMap((line) => line.filter(({ style }) => style?.inverse));
    expect(marked.map(({ text }) => text)).toEqual(['needle']);
    press('n');
    expect(rows()).toContain('The Needle');
    press('n');
    expect(rows()).toContain('> a needle');
    press('N');
    expect(rows()).toContain('The Needle');
    press(...search('Needle'), 'g', 'n');
    expect(rows()).toContain('The Needle');
    press(...search('nowhere'));
    expect(rows().at(-1)).toBe('No match for "nowhere"');
    press('g', '/', 'x', 'backspace', 'backspace', 'q');
  });

  test('typed keys belong to the search until Enter or Esc', () => {
    const { rows, press, pager } = open(talk(3));
    expect(press('/', 'q', 'n')).toBe(true);
    expect(rows().at(-1)).toBe('/qn ');
    pager.press({ type: 'paste', text: 'a\nb' });
    expect(rows().at(-1)).toBe('/qna b ');
    press('escape');
    expect(rows().at(-1)).toBe('Conversation · end');
  });

  test('shows thoughts and whole results, and starts at a call if asked to', () => {
    const output = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
    const messages: Message[] = [
      ...talk(5),
      {
        ...(says('') as Extract<Message, { role: 'assistant' }>),
        content: [
          { type: 'thinking', text: 'let me see' },
          { type: 'tool_call', id: 'c', name: 'Bash', input: { command: 'seq 30' } },
        ],
      },
      {
        role: 'tool',
        callId: 'c',
        name: 'Bash',
        success: true,
        content: [{ type: 'text', text: output }],
        timestamp: '',
      },
      ...talk(5),
    ];
    const { rows, press } = open(messages, 'c');
    expect(rows()[1]).toContain('let me see');
    const all = { ...size, rows: 60 };
    press('g');
    for (const text of ['Bash seq 30', '  line 0', '  line 15', '  line 29']) {
      press(...search(text.trim()));
      expect(rows(all).join('\n')).toContain(text);
    }
  });

  test('follows the conversation at its end, and stays where it is elsewhere', () => {
    const messages = talk(20);
    const { rows, press } = open(messages);
    messages.push(user('one more'));
    expect(rows()).toContain('> one more');
    press('g');
    const before = rows().slice(0, -1);
    messages.push(says('and another'));
    expect(rows().slice(0, -1)).toEqual(before);
  });

  test('says that an answer is awaited', () => {
    const { lines } = open(talk(2));
    expect(lines(size, { text: 'Waiting' }).at(-1)?.[0]?.text).toBe('Waiting');
  });

  test('renders only what is visible, of 10,000 messages', () => {
    const { rendered, press, rows } = open(talk(5_000));
    expect(rendered()).toBeLessThan(10);
    press('g', 'pagedown', 'G', ...search('prompt 2500'));
    expect(rows()).toContain('> prompt 2500');
    expect(rendered()).toBeLessThan(30);
  });
});

test('whatever is pressed at whatever size, all rows fit', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  const message = fc.oneof(text.map(user), text.map(says));
  const step = fc.oneof(
    fc
      .constantFrom(...['up', 'down', 'pageup', 'pagedown', 'g', 'G', 'n', 'N', '/', 'return', 'escape', 'e'])
      .map((name) => ({ press: name })),
    fc.record({ columns: fc.integer({ min: 32, max: 60 }), rows: fc.integer({ min: 1, max: 20 }) }),
  );
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 20 }),
      fc.array(step, { maxLength: 30 }),
      (messages, steps) => {
        const { pager, lines } = open(messages);
        let at = size;
        for (const one of steps) {
          if ('press' in one) pager.press(key(one.press));
          else at = { ...size, ...one };
          const shown = lines(at);
          expect(shown.length).toBe(at.rows);
          for (const line of shown) expect(widthOfLine(line)).toBeLessThanOrEqual(at.columns);
        }
      },
    ),
  );
});
