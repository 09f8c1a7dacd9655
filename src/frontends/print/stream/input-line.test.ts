import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../contract/errors.ts';
import { parseLine } from './input-line.ts';

const text = (words: string) => [{ type: 'text', text: words, typed: true }];

describe('a line of stream-json input', () => {
  test.each<[object, unknown]>([
    [
      { type: 'user', text: 'hi' },
      { type: 'prompt', content: text('hi'), waits: false },
    ],
    [
      { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null, session_id: '' },
      { type: 'prompt', content: text('hi'), waits: false },
    ],
    [
      { type: 'user', message: { content: text('hi') }, shouldQuery: false },
      { type: 'prompt', content: text('hi'), waits: true },
    ],
    [{ type: 'interrupt' }, { type: 'request', id: '', request: { subtype: 'interrupt' } }],
    [
      { type: 'control_request', request_id: 'a', request: { subtype: 'set_model', model: 'b' } },
      { type: 'request', id: 'a', request: { subtype: 'set_model', model: 'b' } },
    ],
    [
      { type: 'control_response', response: { subtype: 'success', request_id: 'a', response: {} } },
      { type: 'answer', id: 'a', response: { subtype: 'success', request_id: 'a', response: {} } },
    ],
    [{ type: 'keep_alive' }, { type: 'nothing' }],
    [{ type: 'control_cancel_request', request_id: 'a' }, { type: 'nothing' }],
  ])('%j', (line, input) => {
    expect(parseLine(JSON.stringify(line))).toEqual(input);
  });

  const image = (source: object) => ({ type: 'user', message: { content: [{ type: 'image', source }] } });

  test.each<[object, string]>([
    [{ type: 'usr' }, 'Unknown input line'],
    [{}, 'Unknown input line'],
    [{ type: 'user' }, 'This message has no text'],
    [{ type: 'user', text: 1 }, 'Invalid text in this input line'],
    [
      { type: 'user', message: { role: 'assistant', content: '' } },
      'Invalid message.role in this input line',
    ],
    [image({ type: 'url', url: 'https://x.org/a.png' }), 'Only text and base64 images can be sent'],
    [{ type: 'user', message: { content: [{ type: 'tool_result' }] } }, 'Only text and base64 images'],
    [
      image({ type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' }),
      'An image in the input is damaged, or not an image.',
    ],
    [{ type: 'control_request', request: {} }, 'Invalid request_id in this input line'],
  ])('%j is refused', (line, words) => {
    expect(() => parseLine(JSON.stringify(line))).toThrow(words);
  });

  test('any other line is the mistake of who sent it, never a crash', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        try {
          parseLine(line);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
