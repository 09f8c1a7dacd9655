import { setImmediate as pause } from 'node:timers/promises';
import type { ModelProfile } from '../../../src/providers/local/profile.ts';
import { type Call, eventsOf, type Quirk } from './server.ts';

export type Expected = Quirk & {
  /** What the probe must find. */
  finds: Partial<ModelProfile>;
  /** The final answer, if different from the default. */
  said?: string;
  /** Only the probe can detect it. */
  needsProbe?: true;
  /** The message to the user without a probe. Default: none. */
  tells?: RegExp;
};

const usual: Partial<ModelProfile> = {
  toolMode: 'native',
  callsTools: true,
  parallelCalls: true,
  resultRole: 'tool',
  systemRole: true,
  streaming: true,
  thinking: 'none',
  jsonMode: false,
};
const asText: Partial<ModelProfile> = { ...usual, toolMode: 'xml', resultRole: 'user' };
const error = (message: string) => ({ error: { message, type: 'invalid_request_error' } });

/** Servers as users run them. Each row differs in one way. `npm test` runs the first few. */
export const quirks: readonly Expected[] = [
  {
    name: 'a template that writes calls but shows no tools, and says so',
    provider: 'llamacpp',
    hidesTools: true,
    asides: {
      '/props': {
        default_generation_settings: { n_ctx: 16_384 },
        chat_template_caps: { supports_tool_calls: true, supports_tools: false },
      },
    },
    finds: { ...asText, contextWindow: 16_384 },
  },
  {
    name: 'a template that shows no tools, and nobody says so',
    provider: 'local',
    needsProbe: true,
    hidesTools: true,
    finds: asText,
  },
  {
    name: 'nothing odd',
    provider: 'local',
    json: true,
    finds: { ...usual, jsonMode: true, contextWindow: 32_768 },
  },
  {
    name: 'Ollama refuses tools for this model with 400',
    provider: 'ollama',
    asides: { '/api/show': { model_info: { 'tiny.context_length': 8192 } } },
    refuses: ({ hasTools }) =>
      hasTools
        ? { status: 400, body: { error: 'registry.ollama.ai/library/tiny does not support tools' } }
        : null,
    finds: { ...asText, contextWindow: 8192, digest: 'sha-1' },
    tells: /^ollama\/tiny does not support tools, so they are described in the prompt\.$/m,
  },
  {
    name: 'the opening tag of thoughts never arrives',
    provider: 'llamacpp',
    voices: (text) => `Let me see.\n\n</think>\n\n${text}`,
    asides: {
      '/props': { default_generation_settings: { n_ctx: 16_384 }, model_path: '/m/tiny-Q4_K_M.gguf' },
    },
    finds: { ...usual, thinking: 'bare', contextWindow: 16_384, digest: '/m/tiny-Q4_K_M.gguf' },
  },
  {
    name: 'thoughts in tags, calls in text, XML only',
    provider: 'vllm',
    asides: { '/v1/models': { data: [{ id: 'tiny', max_model_len: 12_000 }] } },
    refuses: ({ hasTools }) =>
      hasTools
        ? {
            status: 400,
            body: error(
              '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            ),
          }
        : null,
    voices: (text) => `<think>\nA <tool_call> is what I need.\n</think>\n\n${text}`,
    finds: { ...asText, thinking: 'tags', contextWindow: 12_000 },
    tells: /does not support tools/,
  },
  {
    name: 'tools are taken, and the call comes as JSON in the text',
    provider: 'lmstudio',
    inText: (calls) => `I will do it.\n\`\`\`json\n${calls.map(looseJson).join('\n')}\n\`\`\``,
    asides: {
      '/api/v1/models': {
        models: [
          {
            key: 'tiny',
            max_context_length: 30_000,
            loaded_instances: [{ config: { context_length: 24_000 } }],
          },
        ],
      },
    },
    finds: { ...asText, contextWindow: 24_000 },
  },
  {
    name: 'an event stream cut at any byte',
    provider: 'local',
    voices: (text) => text.replace('Copied', 'Copié — 写し —'),
    said: 'Copié — 写し — alpha.',
    async sends(response, frames) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(eventsOf(frames).replaceAll('\n\n', '\r\n\r\n'));
      for (let at = 0; at < bytes.length; at += 11) {
        response.write(bytes.subarray(at, at + 11));
        await pause();
      }
      response.end();
    },
    finds: usual,
  },
  {
    name: 'every call has index 0 and no id',
    provider: 'local',
    callFrames: (calls) =>
      calls.map(({ name, input }) => ({
        tool_calls: [{ index: 0, function: { name, arguments: JSON.stringify(input) } }],
      })),
    finds: usual,
  },
  {
    name: 'arguments are an object instead of its text',
    provider: 'local',
    callFrames: (calls) =>
      calls.map(({ name, input }, index) => ({
        tool_calls: [{ index, id: `c${index}`, function: { name, arguments: input } }],
      })),
    finds: usual,
  },
  {
    name: 'frames without choices before, between and after',
    provider: 'local',
    frames: (frames) => frames.flatMap((frame) => [{ choices: [] }, frame, { id: 'x' }]),
    finds: usual,
  },
  {
    name: 'comments that keep the connection alive',
    provider: 'local',
    sends(response, frames) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        `: PROCESSING\n\n${eventsOf(frames).replaceAll('\n\n', '\n\n: keep-alive\n\nevent: message\n')}`,
      );
    },
    finds: usual,
  },
  {
    name: 'JSON lines where an event stream should be',
    provider: 'local',
    sends(response, frames) {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(frames.map((frame) => JSON.stringify(frame)).join('\n'));
    },
    finds: usual,
  },
  {
    name: 'the whole reply at once, streaming ignored',
    provider: 'local',
    sends(response, frames) {
      const deltas = frames.flatMap(({ choices }) =>
        (choices as { delta: Record<string, unknown> }[]).map(({ delta }) => delta),
      );
      const content = deltas.map((delta) => delta.content ?? '').join('');
      const calls = deltas.flatMap((delta) => (delta.tool_calls as unknown[] | undefined) ?? []);
      const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }, null, 2));
    },
    finds: { ...usual, streaming: false },
  },
  {
    name: 'no usage is told',
    provider: 'local',
    frames: (frames) => frames.filter((frame) => !('usage' in frame)),
    finds: usual,
  },
  {
    name: 'a template that knows user and assistant only',
    provider: 'llamacpp',
    asides: { '/props': { default_generation_settings: { n_ctx: 16_384 } } },
    refuses({ roles }) {
      if (roles.includes('system')) return { status: 500, body: error('System role not supported') };
      if (roles.includes('tool'))
        return {
          status: 500,
          body: error('Conversation roles must alternate user/assistant/user/assistant/...'),
        };
      return null;
    },
    finds: { ...usual, resultRole: 'user', systemRole: false, contextWindow: 16_384 },
    tells: /does not support system messages[\s\S]*accepts tool results only as user messages/,
  },
  {
    name: 'the model is still being loaded',
    provider: 'llamacpp',
    refuses: ({ before }) =>
      before < 2
        ? { status: 503, body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } } }
        : null,
    finds: usual,
    tells: /^llama\.cpp server is still loading tiny; waiting\.\n$/,
  },
  {
    name: 'channels are passed on as they are',
    provider: 'llamacpp',
    inText: (calls) =>
      calls
        .map(
          ({ name, input }) =>
            `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(input)}<|call|>`,
        )
        .join(''),
    voices: (text) =>
      `<|channel|>analysis<|message|>Hm.<|end|>${text.startsWith('<|start|>') ? text : `<|start|>assistant<|channel|>final<|message|>${text}<|return|>`}`,
    finds: { ...asText, thinking: 'channels' },
  },
  {
    name: 'thoughts in a field of their own',
    provider: 'local',
    thoughtField: 'reasoning_content',
    finds: { ...usual, thinking: 'field' },
  },
  {
    name: 'a model that was taught fenced calls only',
    provider: 'local',
    needsProbe: true,
    callsAfter: { word: '```tool_call' },
    inText: (calls) =>
      calls
        .map(({ name, input }) => `\`\`\`tool_call\n${JSON.stringify({ name, arguments: input })}\n\`\`\``)
        .join('\n'),
    finds: { ...asText, toolMode: 'fence' },
  },
  {
    name: 'a model that calls tools only where it is held to a schema',
    provider: 'local',
    needsProbe: true,
    json: true,
    callsAfter: 'schema',
    inText: () => 'I would call a tool now.',
    finds: { ...asText, toolMode: 'grammar', jsonMode: true },
  },
  {
    name: 'a window nobody tells of, and a short memory',
    provider: 'local',
    remembers: 30_000,
    finds: { ...usual, contextWindow: 8192 },
  },
];

/** JSON as small models write it: single quotes, and a trailing comma. */
function looseJson({ name, input }: Call): string {
  return `{'name': '${name}', 'arguments': ${JSON.stringify(input).replaceAll('"', "'").replace(/\}$/, ',}')}}`;
}
