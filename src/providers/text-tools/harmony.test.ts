import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../../contract/provider.ts';
import { createThinkSplitter } from './thinking.ts';

function read(...chunks: string[]): { thinking: string; text: string } {
  const splitter = createThinkSplitter('unknown');
  const said = { thinking: '', text: '' };
  const take = (event: ProviderEvent) => {
    if (event.type === 'text' || event.type === 'thinking') said[event.type] += event.text;
  };
  for (const chunk of chunks) splitter.push(chunk).forEach(take);
  splitter.end().forEach(take);
  return said;
}

const CALL = '<tool_call>\n{"name": "Read", "parameters": {"file_path": "a"}}\n</tool_call>';

describe('a reply in channels [V09]', () => {
  test('analysis is thinking, final is text', () => {
    expect(
      read(
        '<|channel|>analysis<|message|>hm a < b<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>',
      ),
    ).toEqual({ thinking: 'hm a < b', text: 'Yes.' });
  });

  test.each([
    ['<|channel|>commentary to=functions.Read <|constrain|>json<|message|>{"file_path": "a"}<|call|>'],
    ['<|start|>assistant to=functions.Read<|channel|>commentary<|message|>{"file_path": "a"}'],
    ['<|start|>assistant<|channel|>analysis to=Read<|message|> {"file_path": "a"} <|call|>'],
  ])('a message to a function is a call: %s', (reply) => {
    const { thinking, text } = read(reply);
    expect({ thinking, text: text.trim() }).toEqual({ thinking: '', text: CALL });
  });

  test('commentary without a recipient is text for the user', () => {
    expect(read('<|channel|>commentary<|message|>I look first.<|end|>')).toEqual({
      thinking: '',
      text: 'I look first.',
    });
  });

  test('a reply that only mentions markers is text, and an unterminated header is not lost', () => {
    expect(read('The mark <|channel|> opens one.').text).toBe('The mark <|channel|> opens one.');
    expect(read('<|start|>assistant').text).toBe('assistant');
    expect(read(`<|channel|>${'long '.repeat(100)}`).text.trim()).toBe('long '.repeat(100).trim());
  });

  test('the split is the same whatever the chunking [Z09]', () => {
    const pieces = fc.constantFrom(
      ...['<|start|>', '<|channel|>', '<|message|>', '<|end|>', '<|call|>', '<|constrain|>', '<|return|>'],
      ...[
        'analysis',
        'final',
        'commentary',
        ' to=functions.Read',
        'assistant',
        '{"a": 1}',
        '<',
        '<|',
        'wörd',
      ],
    );
    const replies = fc.array(pieces, { maxLength: 20 }).map((list) => `<|channel|>${list.join('')}`);
    fc.assert(
      fc.property(replies, fc.array(fc.nat(), { maxLength: 8 }), (reply, places) => {
        const at = places.map((place) => place % (reply.length + 1)).sort((a, b) => a - b);
        const chunks = [0, ...at].map((from, i) => reply.slice(from, at[i] ?? reply.length));
        expect(read(...chunks)).toEqual(read(reply));
        expect(read(...reply)).toEqual(read(reply));
        const { thinking, text } = read(reply);
        const words = (string: string) => [...string.matchAll(/wörd/g)].length;
        const inHeads = [...reply.matchAll(/<\|(?:channel|start|constrain)\|>((?:(?!<\|[a-z]+\|>).)*)/g)];
        expect(words(thinking + text)).toBeGreaterThanOrEqual(
          words(reply) - inHeads.reduce((sum, [, head = '']) => sum + words(head), 0),
        );
      }),
      { numRuns: 500 },
    );
  });
});
