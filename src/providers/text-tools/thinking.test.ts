import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../../contract/provider.ts';
import { createThinkSplitter, type ThinkMode } from './thinking.ts';

type Split = { thinking: string; text: string };

/** What a consumer ends up with: chunks joined, and reclassified on request. */
function fold(events: ProviderEvent[]): Split {
  const split: Split = { thinking: '', text: '' };
  for (const event of events) {
    if (event.type === 'text' || event.type === 'thinking') split[event.type] += event.text;
    else if (event.type === 'reclassify') {
      const all = split.thinking + split.text;
      split.thinking = event.as === 'thinking' ? all : '';
      split.text = event.as === 'text' ? all : '';
    }
  }
  return split;
}

function run(mode: ThinkMode, chunks: string[]): ProviderEvent[] {
  const splitter = createThinkSplitter(mode);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const split = (mode: ThinkMode, text: string) => fold(run(mode, [text]));

describe('a reply with tags [V09]', () => {
  test.each<ThinkMode>(['tags', 'unknown', 'bare'])('in mode %s, thinking in tags is split off', (mode) => {
    expect(split(mode, '<think>\nhm\n</think>\n\nYes.')).toEqual({ thinking: 'hm', text: 'Yes.' });
  });

  test.each(['think', 'thinking', 'thought'])('<%s> is recognized', (name) => {
    expect(split('tags', ` \n<${name}>a < b</${name}>c`)).toEqual({ thinking: 'a < b', text: 'c' });
  });

  test.each([
    ['Gemma', '<|channel>thought\nhm<channel|>Yes.'],
    ['an older Gemma', '<unused94>thought\nhm<unused95>Yes.'],
    ['Magistral', '[THINK]hm[/THINK]Yes.'],
    ['Command', '<|START_THINKING|>hm<|END_THINKING|>Yes.'],
    ['Seed', '<seed:think>hm</seed:think>Yes.'],
    ['Kimi', '◁think▷hm◁/think▷Yes.'],
  ])('%s has its own markers', (_, reply) => {
    expect(split('unknown', reply)).toEqual({ thinking: 'hm', text: 'Yes.' });
    expect(fold(run('unknown', [...reply]))).toEqual({ thinking: 'hm', text: 'Yes.' });
  });

  test('only the tag that matches the opening one closes', () => {
    expect(split('tags', '<thinking>a</think>b</thinking>c')).toEqual({ thinking: 'a</think>b', text: 'c' });
  });

  test('empty thinking leaves the answer unchanged', () => {
    expect(run('tags', ['<think>\n\n</think>\n\nHi'])).toEqual([{ type: 'text', text: 'Hi' }]);
  });

  test('a second thinking block before the answer is thinking, too', () => {
    expect(split('tags', '<think>a</think>\n<think>b</think>c')).toEqual({ thinking: 'ab', text: 'c' });
  });

  test('a tag in the middle of an answer is text', () => {
    const answer = 'Write <think>x</think> first.';
    expect(run('tags', [answer])).toEqual([{ type: 'text', text: answer }]);
    expect(split('tags', `<think>a</think>${answer}`)).toEqual({ thinking: 'a', text: answer });
  });

  test('unterminated thinking stays thinking, even where the opening tag is not expected', () => {
    expect(split('tags', '<think>a </thi')).toEqual({ thinking: 'a </thi', text: '' });
    expect(split('bare', '<think>a')).toEqual({ thinking: 'a', text: '' });
  });
});

describe('a reply with a bare closing tag [V09] [Z09]', () => {
  test('if expected, everything before it is thinking from the first chunk on', () => {
    expect(run('bare', ['let me', ' see\n', '\n</thi', 'nk>\n', '\nIt is 4.'])).toEqual([
      { type: 'thinking', text: 'let me' },
      { type: 'thinking', text: ' see' },
      { type: 'text', text: 'It is 4.' },
    ]);
  });

  test('if not expected, the earlier text is reclassified', () => {
    expect(run('unknown', ['let me see', '\n\n</think>\n\n', 'It is 4.'])).toEqual([
      { type: 'text', text: 'let me see' },
      { type: 'reclassify', as: 'thinking' },
      { type: 'text', text: 'It is 4.' },
    ]);
  });

  test('if it never arrives, the earlier output becomes text', () => {
    expect(run('bare', ['It is 4.\n'])).toEqual([
      { type: 'thinking', text: 'It is 4.' },
      { type: 'thinking', text: '\n' },
      { type: 'reclassify', as: 'text' },
    ]);
  });

  test('a reply without content emits nothing', () => {
    expect(run('bare', [])).toEqual([]);
    expect(run('unknown', [''])).toEqual([]);
  });

  test('a quoted closing tag is text', () => {
    const answer = 'End it with `</think>`, or "</think>".';
    expect(split('unknown', answer)).toEqual({ thinking: '', text: answer });
    expect(fold(run('unknown', [...answer]))).toEqual({ thinking: '', text: answer });
    expect(split('bare', 'the tag "</think>" ends it</think>Done')).toEqual({
      thinking: 'the tag "</think>" ends it',
      text: 'Done',
    });
    expect(split('unknown', 'so "yes"</think>Yes')).toEqual({ thinking: 'so "yes"', text: 'Yes' });
    expect(split('unknown', 'so "yes"</think>')).toEqual({ thinking: 'so "yes"', text: '' });
    expect(split('tags', '<think>"</think><think></think>"a"')).toEqual({ thinking: '"', text: '"a"' });
  });

  test('in tags mode it is text', () => {
    expect(split('tags', 'a</think>b')).toEqual({ thinking: '', text: 'a</think>b' });
  });
});

const modes = fc.constantFrom<ThinkMode>('tags', 'bare', 'unknown');
const pieces = fc.constantFrom(
  '<think>',
  '</think>',
  '<thinking>',
  '</thinking>',
  '</thought>',
  '<',
  '</th',
  'ink>',
  '"',
  '`',
  ' ',
  '\n\n',
  'a',
  'wörld',
  '💡',
);
const replies = fc.array(pieces, { maxLength: 14 }).map((list) => list.join(''));

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text cut at each position; repeated positions give empty chunks. */
function cut(text: string, places: number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
}

describe('whatever the chunking [Z09]', () => {
  test('the split is the same', () => {
    fc.assert(
      fc.property(modes, replies, fc.array(fc.nat(), { maxLength: 8 }), (mode, reply, places) => {
        expect(fold(run(mode, cut(reply, places)))).toEqual(split(mode, reply));
        expect(fold(run(mode, [...reply]))).toEqual(split(mode, reply));
      }),
      { numRuns: 1000 },
    );
  });

  test('nothing is lost or repeated except tags and the white space around them', () => {
    const dropped = '(?:\\s|</?(?:think|thinking|thought)>)*';
    fc.assert(
      fc.property(modes, replies, (mode, reply) => {
        const said = run(mode, [reply]).flatMap((event) => ('text' in event ? [escaped(event.text)] : []));
        expect(reply).toMatch(new RegExp(`^${['', ...said, ''].join(dropped)}$`));
      }),
      { numRuns: 1000 },
    );
  });

  test('a reply without tags passes unchanged, and only a possible tag is held back', () => {
    fc.assert(
      fc.property(modes, fc.string(), fc.array(fc.nat(), { maxLength: 8 }), (mode, reply, places) => {
        fc.pre(!/<\/?think|\[THINK|<\|/.test(reply));
        const splitter = createThinkSplitter(mode);
        let seen = '';
        let said = '';
        for (const chunk of cut(reply, places)) {
          seen += chunk;
          for (const event of splitter.push(chunk)) if ('text' in event) said += event.text;
          expect(seen.slice(said.length)).toMatch(/^\s*([<[◁][/|:a-zA-Z_\d]{0,18})?$/);
        }
        for (const event of splitter.end()) if ('text' in event) said += event.text;
        expect(said).toBe(reply);
      }),
    );
  });
});
