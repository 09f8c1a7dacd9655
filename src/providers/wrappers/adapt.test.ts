import { describe, expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { type Adaptation, type RequestFormat, withRequestFormat } from './adapt.ts';

const native: RequestFormat = { toolMode: 'native', resultRole: 'tool', systemRole: true };
const tools = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }];
const END: ProviderEvent = { type: 'stop', reason: 'end' };

/** A server that rejects some requests, and answers yes to the others. */
function picky(refusal: (request: CompletionRequest) => string | null) {
  const requests: CompletionRequest[] = [];
  const provider: Provider = {
    name: 'p',
    countTokens: async () => 1,
    async *stream(request) {
      requests.push(request);
      const words = refusal(request);
      if (words !== null) throw new ProviderError(words, { kind: 'bad_request', provider: 'p', status: 400 });
      yield { type: 'text', text: 'yes' };
      yield END;
    },
  };
  return { provider, requests };
}

async function talk(refusal: (request: CompletionRequest) => string | null, request = hello({ tools })) {
  const { provider, requests } = picky(refusal);
  const learned: Adaptation[] = [];
  const line = withRequestFormat(provider, { ...native, onAdapt: (_, lesson) => learned.push(lesson) });
  const first = await play(line, request);
  const asked = requests.length;
  await play(line, request);
  return { ...first, learned, asked, askedAgain: requests.length - asked, last: requests.at(-1) };
}

describe('the provider adapts once to an error that reveals unsupported features [V07]', () => {
  test.each([
    'registry.ollama.ai/library/gemma does not support tools',
    'This model does not support tool use',
    'tools param requires --jinja flag',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    'Tools are not supported by this model.',
    'Function calling is not enabled for this model',
    'functions are not available here',
  ])('no tools: %s', async (words) => {
    const { events, learned, asked, askedAgain, last } = await talk(({ tools: given }) =>
      given ? words : null,
    );
    expect(events).toEqual([{ type: 'text', text: 'yes' }, END]);
    expect(learned.map(({ format: manners }) => manners)).toEqual([
      { toolMode: 'xml', resultRole: 'user', systemRole: true },
    ]);
    expect({ asked, askedAgain }).toEqual({ asked: 2, askedAgain: 1 });
    expect(last?.system).toContain('## Read');
  });

  test('no system message: the instructions precede the first user message', async () => {
    const { learned, last } = await talk(
      ({ system }) => (system === '' ? null : 'System role not supported'),
      hello({ summary: 'Before.' }),
    );
    expect(learned.map(({ format: manners }) => manners)).toEqual([{ ...native, systemRole: false }]);
    expect(last).toMatchObject({ system: '', messages: [{ role: 'user' }] });
    expect(last).not.toHaveProperty('summary');
    expect(last?.messages[0]?.content.map((part) => (part.type === 'text' ? part.text : ''))).toEqual([
      expect.stringMatching(/^Be brief\.[\s\S]*Before\.\n\n$/),
      'hi',
    ]);
  });

  test('no tool results: calls and results become text, tools stay native', async () => {
    const timestamp = '2026-01-01T00:00:00Z';
    const request = hello({
      tools,
      messages: [
        ...hello().messages,
        {
          role: 'assistant',
          content: [{ type: 'tool_call', id: 'c1', name: 'Read', input: { file_path: 'a' } }],
          provider: 'p',
          model: 'm',
          stopReason: 'tool_calls',
          timestamp,
        },
        {
          role: 'tool',
          callId: 'c1',
          name: 'Read',
          success: true,
          content: [{ type: 'text', text: 'alpha' }],
          timestamp,
        },
      ],
    });
    const { learned, last } = await talk(
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'Conversation roles must alternate' : null,
      request,
    );
    expect(learned.map(({ format: manners }) => manners)).toEqual([{ ...native, resultRole: 'user' }]);
    expect(last?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(last?.tools).toEqual(tools);
  });
});

describe('no adaptation', () => {
  test.each([
    'The tool call id is unknown',
    'Invalid value for messages',
    'max_tokens is too large',
    'support for this file is missing',
  ])('to other errors: %s', async (words) => {
    const { error, learned } = await talk(() => words);
    expect(error).toMatchObject({ message: words });
    expect(learned).toEqual([]);
  });

  test('without a listener, as in a probe', async () => {
    const { provider } = picky(() => 'does not support tools');
    const { error } = await play(withRequestFormat(provider, native), hello({ tools }));
    expect(error).toMatchObject({ message: 'does not support tools' });
  });
});
