import { describe, expect, test } from 'vitest';
import { hello, modelInfo } from '../../test/support/loopback.ts';
import { toWire as toAnthropic } from './anthropic/wire.ts';
import { toWire as toGoogle } from './google/wire.ts';
import { toWire as toOllama } from './ollama/wire.ts';
import { type ChatQuirks, toWire as toChat } from './openai/chat-wire.ts';
import { toWire as toResponses } from './openai/responses-wire.ts';

const summary = '[Completed: the parser]\n---\n[Open: its tests]';
const TOLD = `Previous context summary:\n## Earlier conversation summary (compressed)\n\n${summary}`;
const options = { name: 'vendor', baseUrl: '', infoOf: () => modelInfo() };
const cached = { cache_control: { type: 'ephemeral' } };
const tools = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }];
const asked = hello({ summary, tools });

describe('[K04] [K07] [Y03] a summary is between the system prompt and the messages', () => {
  test('Anthropic: a separate system block, which takes over the cache breakpoint of the tools', () => {
    const { system, tools: sent } = toAnthropic(asked, options);
    expect(system).toEqual([
      { type: 'text', text: 'Be brief.', ...cached },
      { type: 'text', text: TOLD, ...cached },
    ]);
    expect(sent).toEqual([{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }]);
    expect(toAnthropic(hello({ tools }), options).tools).toEqual([{ ...sent?.[0], ...cached }]);
    expect(toAnthropic(hello({ system: '', summary }), options).system).toEqual([
      { type: 'text', text: TOLD, ...cached },
    ]);
  });

  test('OpenAI Responses: the first item, from the developer', () => {
    const { instructions, input } = toResponses(asked, options);
    expect({ instructions, input }).toEqual({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: TOLD },
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      ],
    });
  });

  test.each<[string, ChatQuirks, string[]]>([
    [
      'a second system message where the vendor takes one',
      { secondSystemMessage: true },
      ['Be brief.', TOLD],
    ],
    ['appended elsewhere', {}, [`Be brief.\n\n${TOLD}`]],
  ])('OpenAI Chat: %s', (_name, quirks, texts) => {
    expect(toChat(asked, { ...options, quirks }).messages).toEqual([
      ...texts.map((content) => ({ role: 'system', content })),
      { role: 'user', content: 'hi' },
    ]);
  });

  test('Google: a second part of the system instruction', () => {
    expect(toGoogle(asked, options).systemInstruction).toEqual({
      role: 'user',
      parts: [{ text: 'Be brief.' }, { text: TOLD }],
    });
  });

  test('Ollama: appended', () => {
    expect(toOllama(asked, options).messages[0]).toEqual({
      role: 'system',
      content: `Be brief.\n\n${TOLD}`,
    });
    expect(toOllama(hello({ system: '', summary }), options).messages[0]).toEqual({
      role: 'system',
      content: TOLD,
    });
  });
});
