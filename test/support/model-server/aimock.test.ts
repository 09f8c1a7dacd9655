// @module-tag soak
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAimock } from './aimock.ts';
import type { ProtocolName } from './protocol.ts';
import { both, calls, cuts, fails, garbage, hangs, type Reply, says, thinks } from './script.ts';

type Heard = { text: string; thought: string; calls: { name: string; input: unknown }[] };

async function start(script: Reply[]) {
  const server = await startAimock(script);
  onTestFinished(() => server.close());
  return server;
}

/** One request through the official SDK of each protocol. */
const LISTEN: Record<ProtocolName, (url: string) => Promise<Heard>> = {
  async anthropic(url) {
    const client = new Anthropic({ baseURL: url, apiKey: 'sk', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const { content } = await client.messages
      .stream({ model: 'claude-sonnet-5', max_tokens: 99, messages })
      .finalMessage();
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thought: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
      ),
    };
  },
  async 'openai-chat'(url) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    let thought = '';
    const stream = client.chat.completions.stream({ model: 'gpt-4.1', messages });
    for await (const chunk of stream) {
      // The reasoning field is an extension that is missing in the SDK's types.
      thought +=
        (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
    }
    const message = (await stream.finalChatCompletion()).choices[0]?.message;
    return {
      text: message?.content ?? '',
      thought,
      calls: (message?.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) }]
          : [],
      ),
    };
  },
  async 'openai-responses'(url) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk', maxRetries: 0 });
    const { output, output_text: text } = await client.responses
      .stream({ model: 'gpt-5', input: 'hi' })
      .finalResponse();
    return {
      text,
      thought: output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary.map((part) => part.text) : []))
        .join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call' ? [{ name: item.name, input: JSON.parse(item.arguments) }] : [],
      ),
    };
  },
  async google(url) {
    const client = new GoogleGenAI({ apiKey: 'AIza', httpOptions: { baseUrl: url } });
    const heard: Heard = { text: '', thought: '', calls: [] };
    for await (const chunk of await client.models.generateContentStream({
      model: 'gemini-2.5-flash',
      contents: 'hi',
    })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (part.thought) heard.thought += part.text ?? '';
        else heard.text += part.text ?? '';
        if (part.functionCall)
          heard.calls.push({ name: part.functionCall.name ?? '', input: part.functionCall.args });
      }
    }
    return heard;
  },
  async ollama(url) {
    const heard: Heard = { text: '', thought: '', calls: [] };
    const messages = [{ role: 'user', content: 'hi' }];
    for await (const { message } of await new Ollama({ host: url }).chat({
      model: 'qwen3:8b',
      messages,
      stream: true,
    })) {
      heard.text += message.content;
      heard.thought += message.thinking ?? '';
      for (const call of message.tool_calls ?? [])
        heard.calls.push({ name: call.function.name, input: call.function.arguments });
    }
    return heard;
  },
};
// An object literal has exactly the keys of its type.
const PROTOCOLS = Object.keys(LISTEN) as ProtocolName[];

describe.each(PROTOCOLS)('aimock over %s, read by the official SDK', (protocol) => {
  const listen = LISTEN[protocol];

  test('plays text, calls and thoughts in script order', async () => {
    const server = await start([
      says('Grüße, 世界 👋🏽!'),
      calls(['Read', { file_path: 'a.ts' }], ['Grep', { pattern: 'x' }]),
      both('Looking.', ['Read', { a: [1] }]),
      thinks('let me think', says('ok')),
    ]);
    expect(await listen(server.url)).toEqual({ text: 'Grüße, 世界 👋🏽!', thought: '', calls: [] });
    expect(await listen(server.url)).toEqual({
      text: '',
      thought: '',
      calls: [
        { name: 'Read', input: { file_path: 'a.ts' } },
        { name: 'Grep', input: { pattern: 'x' } },
      ],
    });
    expect(await listen(server.url)).toEqual({
      text: 'Looking.',
      thought: '',
      calls: [{ name: 'Read', input: { a: [1] } }],
    });
    // Its Ollama implementation sends thoughts in a field that Ollama does not have.
    const thought = protocol === 'ollama' ? '' : 'let me think';
    expect(await listen(server.url)).toEqual({ text: 'ok', thought, calls: [] });
    expect(server.exhausted).toBe(false);
    expect(server.requests.map(({ protocol: name, messages }) => ({ name, messages }))).toEqual(
      Array.from({ length: 4 }, () => ({
        name: protocol,
        messages: [{ role: 'user', text: 'hi', calls: [], results: [] }],
      })),
    );
  });

  test('plays errors, and reports the end of the script', async () => {
    const server = await start([fails(429, { message: 'slow down', retryAfter: 1 })]);
    const told = async () => JSON.stringify(await listen(server.url).catch(messageOf));
    expect(await told()).toContain('slow down');
    expect(await told()).toContain('the script has 1 steps, this is request 2');
    expect(server.exhausted).toBe(true);
  });
});

test('features of our own server are refused immediately', async () => {
  await expect(startAimock([cuts(says('x'), { after: 1 })])).rejects.toThrow('cannot deliver with cut');
  await expect(startAimock([hangs()])).rejects.toThrow('type hang');
  await expect(startAimock([garbage('html')])).rejects.toThrow('type raw');
});

test('a tool loop is seen in vendor-neutral form', async () => {
  const server = await start([calls(['Read', { a: 1 }, { id: 'toolu_1' }]), says('done')]);
  const client = new Anthropic({ baseURL: server.url, apiKey: 'sk', maxRetries: 0 });
  const question = { model: 'claude-sonnet-5', max_tokens: 99 };
  const first = await client.messages.create({ ...question, messages: [{ role: 'user', content: 'hi' }] });
  await client.messages.create({
    ...question,
    system: 'Be brief.',
    tools: [{ name: 'Read', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'hi' },
      // The SDK has different types for received and sent blocks; the blocks are the same.
      { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }] },
    ],
  });
  const { system, tools, messages } = server.requests[1] ?? {};
  expect({ system, tools, messages }).toEqual({
    system: 'Be brief.',
    tools: ['Read'],
    messages: [
      { role: 'user', text: 'hi', calls: [], results: [] },
      { role: 'assistant', text: '', calls: [{ id: 'toolu_1', name: 'Read', input: { a: 1 } }], results: [] },
      { role: 'tool', text: '', calls: [], results: [{ callId: 'toolu_1', text: 'text' }] },
    ],
  });
});

/** The message, or the body if the SDK puts an object in place of the message, as for Ollama. */
function messageOf(error: unknown): unknown {
  const { message, error: body } = error as { message: string; error?: unknown };
  return [message, body];
}
