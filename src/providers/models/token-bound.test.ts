import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEXTS, TOKENIZERS } from '../../../test/support/real-tokenizers.ts';
import { sweep } from '../../../test/support/soak.ts';
import type { Message } from '../../contract/message.ts';
import { boundTokens, textBound } from './token-bound.ts';

describe.each(Object.entries(TEXTS))('no text has more tokens than the bound: %s', (_, texts) => {
  sweep([4, 60])('%i texts, with tokenizers of three vendors', (numRuns) => {
    fc.assert(
      fc.property(texts, (text) => {
        const most = Math.max(...Object.values(TOKENIZERS).map((count) => count(text)));
        expect(most).toBeLessThanOrEqual(textBound(text) + 1);
      }),
      { numRuns },
    );
  });
});

const timestamp = '2026-01-01T00:00:00.000Z';
const ask = (...messages: Message[]) => ({ model: 'm', system: '', messages });
const user = (...content: Extract<Message, { role: 'user' }>['content']): Message => ({
  role: 'user',
  content,
  timestamp,
});
const assistant = (
  content: Extract<Message, { role: 'assistant' }>['content'],
  outputTokens = 0,
): Message => ({
  role: 'assistant',
  content,
  provider: 'p',
  model: 'm',
  stopReason: 'end',
  usage: { inputTokens: 0, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
  timestamp,
});

describe('a request', () => {
  const empty = boundTokens(ask());
  const more = (request: Parameters<typeof boundTokens>[0]) => boundTokens(request) - empty;
  const text = 'x'.repeat(1_000);

  test('counts the bytes of everything that is sent', () => {
    const call = { type: 'tool_call' as const, id: 'c', name: 'Write', input: { content: text } };
    const tool = { name: 'Read', description: text, parameters: {} };
    for (const request of [
      ask(user({ type: 'text', text })),
      ask(assistant([{ type: 'text', text }])),
      ask(assistant([{ type: 'thinking', text: '', signature: text }])),
      ask(assistant([call])),
      ask({
        role: 'tool',
        callId: 'c',
        name: 'Read',
        success: true,
        content: [{ type: 'text', text }],
        timestamp,
      }),
      { ...ask(), system: text },
      { ...ask(), summary: text },
      { ...ask(), vendorSummary: { provider: 'p', items: [{ encrypted_content: text }] } },
      { ...ask(), tools: [tool] },
      ask(user({ type: 'text', text: '', update: { states: {}, tools: { added: [tool], removed: [] } } })),
    ])
      expect(more(request)).toBeGreaterThanOrEqual(text.length);
  });

  test('counts reasoning that the vendor sends back longer than it showed it', () => {
    expect(more(ask(assistant([{ type: 'text', text: 'yes' }], 20_000)))).toBeGreaterThan(20_000);
  });

  test('counts an image by its pixels, at the highest rate of any vendor', () => {
    const image = (width: number, height: number) => {
      const data = Buffer.alloc(64);
      data.write('\x89PNG\r\n\x1a\n', 'latin1');
      data.writeUInt32BE(width, 16);
      data.writeUInt32BE(height, 20);
      data.write('IEND', 56, 'latin1');
      return ask(user({ type: 'image', mediaType: 'image/png', data: data.toString('base64') }));
    };
    expect(more(image(1, 1))).toBeGreaterThan(2_240);
    // A square of 28 pixels is a token for some vendors; 32 pixels are 2.46 tokens for others.
    for (const side of [800, 1_568, 2_000]) {
      expect(more(image(side, side))).toBeGreaterThan(Math.ceil(side / 28) ** 2);
      expect(more(image(side, side))).toBeGreaterThan(Math.ceil(side / 32) ** 2 * 2.46);
    }
    expect(more({ ...image(2_000, 768), model: 'gpt-4o-mini' })).toBeGreaterThan(2_833 + 8 * 5_667);
  });
});
