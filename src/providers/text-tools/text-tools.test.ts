import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProviderError } from '../../contract/errors.ts';
import type { StopReason } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { withTextTools } from './text-tools.ts';
import { createThinkSplitter, type ThinkMode } from './thinking.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const request: CompletionRequest = {
  model: 'r1',
  system: 'Be brief.',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'look' }], timestamp },
    {
      role: 'assistant',
      content: [{ type: 'tool_call', id: '1', name: 'Read', input: { file_path: 'a' } }],
      provider: 'local',
      model: 'r1',
      stopReason: 'tool_calls',
      timestamp,
    },
    {
      role: 'tool',
      callId: '1',
      name: 'Read',
      success: true,
      content: [{ type: 'text', text: 'x' }],
      timestamp,
    },
  ],
  tools: [
    {
      name: 'Read',
      description: 'Read a file.',
      parameters: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    },
  ],
  maxTokens: 100,
};
const CALL = '<tool_call>\n{"name": "Read", "parameters": {"file_path": "b"}}\n</tool_call>';

/** A provider that emits these events, and records its requests. */
function speaking(events: ProviderEvent[], failure?: Error): Provider & { asked: CompletionRequest[] } {
  const asked: CompletionRequest[] = [];
  return {
    name: 'local',
    asked,
    async *stream(seen) {
      asked.push(seen);
      yield* events;
      if (failure) throw failure;
    },
    async countTokens(seen) {
      asked.push(seen);
      return 7;
    },
  };
}

const text = (said: string): ProviderEvent => ({ type: 'text', text: said });
const thinking = (said: string): ProviderEvent => ({ type: 'thinking', text: said });
const stop = (reason: StopReason): ProviderEvent => ({ type: 'stop', reason });
const called = (key: string, json: string): ProviderEvent[] => [
  { type: 'tool_call_start', key, name: 'Read' },
  { type: 'tool_call_delta', key, json },
  { type: 'tool_call_end', key },
];

async function collect(provider: Provider, asked = request): Promise<ProviderEvent[]> {
  const wrapped = withTextTools(provider, { mode: 'xml', resultRole: 'user' });
  const events: ProviderEvent[] = [];
  for await (const event of wrapped.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

describe('the request to the model', () => {
  test('has the tools in the system prompt, calls and results in the text [V08] [R05] [R06]', async () => {
    const model = speaking([stop('end')]);
    await collect(model);

    const [{ system, ...rest } = request] = model.asked;
    expect(system).toMatch(/^Be brief\.\n\n# Tools\n[\s\S]*<tool_call>[\s\S]*## Read\nRead a file\./);
    expect(rest).toEqual({
      model: 'r1',
      maxTokens: 100,
      messages: [
        request.messages[0],
        {
          ...request.messages[1],
          content: [
            {
              type: 'text',
              text: '<tool_call>\n{"name": "Read", "parameters": {"file_path":"a"}}\n</tool_call>',
            },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'text', text: '[Result of Read]\nx\n[End of result]' }],
          timestamp,
        },
      ],
    });
  });

  test('tokens are counted for what is actually sent', async () => {
    const model = speaking([stop('end')]);
    await collect(model);
    const wrapped = withTextTools(model, { mode: 'xml', resultRole: 'user' });
    expect(await wrapped.countTokens(request, new AbortController().signal)).toBe(7);
    expect(model.asked[1]).toEqual(model.asked[0]);
  });

  test('without tools the prompt is unchanged and the text is not parsed', async () => {
    const { tools: _, ...plain } = request;
    const model = speaking([text(CALL), stop('end')]);
    expect(await collect(model, plain)).toEqual([text(CALL), stop('end')]);
    expect(model.asked[0]?.system).toBe('Be brief.');
  });
});

describe('the reply of the model', () => {
  test('a call in the text becomes a call event, and the stop reason matches', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const model = speaking([
      text('Look'),
      text('ing.\n<tool'),
      text(CALL.slice(5)),
      { type: 'usage', usage },
      stop('end'),
    ]);
    expect(await collect(model)).toEqual([
      text('Look'),
      text('ing.'),
      { type: 'usage', usage },
      ...called('text-0', '{"file_path":"b"}'),
      stop('tool_calls'),
    ]);
  });

  test('a reply without a call is unchanged', async () => {
    expect(await collect(speaking([text('a '), text('b\n'), stop('end')]))).toEqual([
      text('a'),
      text(' b'),
      text('\n'),
      stop('end'),
    ]);
  });

  test('a reply truncated by the output limit says so even with a call', async () => {
    expect(await collect(speaking([text(CALL), stop('max_tokens')]))).toEqual([
      ...called('text-0', '{"file_path":"b"}'),
      stop('max_tokens'),
    ]);
  });

  test.each([
    ['in its tag', 'ok <tool_', []],
    ['before its name', 'ok <tool_call>{"na', []],
    ['in its arguments', 'ok <tool_call>{"name":"Read","arguments":{"file_path":"b', ['{"file_path":"b']],
    ['in a fence', 'ok\n```tool_call\n{"name":"Read","arguments":{"file_path":"b', ['{"file_path":"b']],
    ['without a tag', 'ok\n{"name":"Read","arguments":{"file_path":"b', ['{"file_path":"b']],
  ])('a call that the output limit truncates %s is not text', async (_where, said, jsons) => {
    const events = await collect(speaking([text(said), stop('max_tokens')]));
    const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
    expect(words.trim()).toBe('ok');
    expect(events.flatMap((event) => (event.type === 'tool_call_delta' ? [event.json] : []))).toEqual(jsons);
    expect(events.at(-1)).toEqual(stop('max_tokens'));
  });

  test('a call inside thinking is not a call', async () => {
    const events = [thinking(CALL), text('No.'), stop('end')];
    expect(await collect(speaking(events))).toEqual(events);
  });

  test('a stream that breaks emits everything received before it throws', async () => {
    const failure = new ProviderError('broke', { kind: 'cut', provider: 'local' });
    const seen: ProviderEvent[] = [];
    const reading = (async () => {
      const wrapped = withTextTools(speaking([text('a <tool_')], failure), {
        mode: 'fence',
        resultRole: 'user',
      });
      for await (const event of wrapped.stream(request, new AbortController().signal)) seen.push(event);
    })();
    await expect(reading).rejects.toBe(failure);
    expect(seen).toEqual([text('a'), text(' <tool_')]);
  });

  test('a stream that ends without a stop emits its calls', async () => {
    expect(await collect(speaking([text(CALL)]))).toEqual(called('text-0', '{"file_path":"b"}'));
  });
});

/** The events of a model whose thinking arrives as content. */
function thoughtful(mode: ThinkMode, chunks: string[]): ProviderEvent[] {
  const splitter = createThinkSplitter(mode);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end(), stop('end')];
}

describe('with thinking that arrives as content [V09]', () => {
  test('a call that turns out to be thinking does not run', async () => {
    const chunks = [`I could ${CALL} but`, ' <tool_call>', '\n</think>\n\nNo.'];
    expect(await collect(speaking(thoughtful('unknown', chunks)))).toEqual([
      text('I could but'),
      text(' <tool_call>'),
      { type: 'reclassify', as: 'thinking' },
      text('No.'),
      stop('end'),
    ]);
  });

  test('a call after the thinking runs', async () => {
    expect(await collect(speaking(thoughtful('bare', [`hm ${CALL}\n</think>\n\n${CALL}`])))).toEqual([
      thinking(`hm ${CALL}`),
      ...called('text-0', '{"file_path":"b"}'),
      stop('tool_calls'),
    ]);
  });

  test('a call in what only seemed to be thinking runs', async () => {
    expect(await collect(speaking(thoughtful('bare', [`Reading. ${CALL}`])))).toEqual([
      thinking(`Reading. ${CALL}`),
      ...called('text-0', '{"file_path":"b"}'),
      stop('tool_calls'),
    ]);
  });

  test('an answer that only seemed to be thinking becomes text', async () => {
    expect(await collect(speaking(thoughtful('bare', ['Yes.'])))).toEqual([
      thinking('Yes.'),
      { type: 'reclassify', as: 'text' },
      stop('end'),
    ]);
  });
});

test('the joined events are the same whatever the chunking [Z09]', async () => {
  const pieces = fc.constantFrom(
    CALL,
    '<think>',
    '</think>',
    'word ',
    '\n\n',
    '<tool_call>',
    '{',
    '```',
    'it',
  );
  const cases = fc.tuple(
    fc.constantFrom<ThinkMode>('tags', 'bare', 'unknown'),
    fc.array(pieces, { maxLength: 8 }).map((list) => list.join('')),
    fc.integer({ min: 1, max: 9 }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([mode, reply, size]) => {
      const chunks = reply.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      const inPieces = await collect(speaking(thoughtful(mode, chunks)));
      expect(joined(inPieces)).toEqual(joined(await collect(speaking(thoughtful(mode, [reply])))));
    }),
    { numRuns: 500 },
  );
});

function joined(events: ProviderEvent[]): ProviderEvent[] {
  const list: ProviderEvent[] = [];
  for (const event of events) {
    const last = list.at(-1);
    if ('text' in event && last && 'text' in last && last.type === event.type)
      list[list.length - 1] = { ...event, text: last.text + event.text };
    else list.push(event);
  }
  return list;
}
