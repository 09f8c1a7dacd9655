import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Heard, think } from './brain.ts';

export type Frame = Record<string, unknown>;
export type Call = { name: string; input: Record<string, unknown> };

/** How one server, and its model, differ from the protocol. */
export type Quirk = {
  name: string;
  /** The provider that connects to it. */
  provider: 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'local';
  /** Answers to any request, before it is looked at. Null lets it through. */
  gate?(request: { path: string; authorization?: string; before: number }): Refusal | null;
  /** Answers independent of the model. Null lets the request through. */
  refuses?(request: Asked): Refusal | null;
  /** How the model writes calls into its text, if it does. */
  inText?(calls: Call[]): string;
  /** Transforms the text, including thoughts. */
  voices?(text: string): string;
  /** The field for thoughts, if there is a separate one. */
  thoughtField?: 'reasoning_content' | 'reasoning' | 'thinking';
  /** The frames of calls in the protocol's own format. */
  callFrames?(calls: Call[]): Frame[];
  /** Transforms the frames before they are sent. */
  frames?(frames: Frame[]): Frame[];
  /** How frames are written. Default: as an event stream. */
  sends?(response: ServerResponse, frames: Frame[]): Promise<void> | void;
  /** It supports schema-constrained output. */
  json?: true;
  /** What the request must contain before it calls anything: a word in the prompt, or a schema. */
  callsAfter?: { word: string } | 'schema';
  /** Its template leaves the tools out; the model calls a tool that the prompt names all the same. */
  hidesTools?: true;
  /** How many characters it remembers. */
  remembers?: number;
  /** Answers to requests about the server, by path. */
  asides?: Record<string, unknown>;
};

type Refusal = { status: number; body: unknown };

type Asked = {
  path: string;
  roles: string[];
  hasTools: boolean;
  body: { tools?: unknown[]; messages?: { role: string; content: unknown }[] };
  /** How many model requests came before. */
  before: number;
};

export type QuirkServer = { url: string; asked: Asked[]; keys: (string | undefined)[] };

/** A server with this quirk, closed at the end of the test. */
export async function serveQuirk(quirk: Quirk): Promise<QuirkServer> {
  const asked: Asked[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, { quirk, asked, keys });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port; the string form belongs to pipes.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, keys };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { quirk, asked, keys }: Pick<QuirkServer, 'asked' | 'keys'> & { quirk: Quirk },
): Promise<void> {
  const path = request.url ?? '/';
  const body = await bodyOf(request);
  const { authorization } = request.headers;
  const stopped = quirk.gate?.({ path, before: keys.length, ...(authorization && { authorization }) });
  keys.push(authorization);
  if (stopped) return sendJson(response, stopped.status, stopped.body);
  if (path !== '/api/chat' && !path.endsWith('/chat/completions')) {
    const known = { ...usualAsides(quirk), ...quirk.asides }[path];
    return sendJson(response, known === undefined ? 404 : 200, known ?? { error: 'not found' });
  }
  const messages = (body.messages ?? []).map(heard);
  const now: Asked = {
    path,
    roles: messages.map(({ role }) => role),
    hasTools: (body.tools ?? []).length > 0,
    body,
    before: asked.length,
  };
  asked.push(now);
  const refusal = quirk.refuses?.(now);
  if (refusal) return sendJson(response, refusal.status, refusal.body);

  const described = messages.some(({ text }) => text.includes('# Tools\n'));
  const hasSchema = quirk.json === true && ('response_format' in body || 'format' in body);
  const { text, calls } = think({
    messages,
    canCall: (isShown(quirk, now, messages) || described) && isMoved(quirk, { messages, hasSchema }),
    hasSchema,
    remembers: quirk.remembers ?? 10_000_000,
  });
  const ollama = path === '/api/chat';
  const frames = framesOf(
    { text, calls },
    {
      quirk,
      ollama,
      native: now.hasTools && !quirk.inText,
      hasSchema,
      promptTokens: shownTokens(quirk, body),
    },
  );
  await (quirk.sends ?? (ollama ? sendLines : sendEvents))(response, quirk.frames?.(frames) ?? frames);
}

function isMoved(
  { callsAfter }: Quirk,
  { messages, hasSchema }: { messages: Heard[]; hasSchema: boolean },
): boolean {
  if (callsAfter === undefined) return true;
  if (callsAfter === 'schema') return hasSchema;
  return messages.some(({ text }) => text.includes(callsAfter.word));
}

type Manner = { quirk: Quirk; ollama: boolean; native: boolean; hasSchema: boolean; promptTokens: number };

function framesOf(
  { text, calls }: { text: string; calls: Call[] },
  { quirk, ollama, native, hasSchema, promptTokens }: Manner,
): Frame[] {
  const write = quirk.inText ?? xmlCalls;
  const whole = calls.length > 0 && !native ? (hasSchema ? jsonReply(calls) : write(calls)) : text;
  const spoken = quirk.voices?.(whole) ?? whole;
  const pieces = spoken.match(/[\s\S]{1,7}/g) ?? [];
  const thoughts = quirk.thoughtField
    ? ['I ', 'think.'].map((piece) => ({ [quirk.thoughtField ?? '']: piece }))
    : [];
  const deltas: Frame[] = [...thoughts, ...pieces.map((content) => ({ content }))];
  if (ollama) {
    const made = native && calls.length > 0 ? [{ tool_calls: calls.map(ollamaCall) }] : [];
    return [
      ...[...deltas, ...made].map((message) => ({
        message: { role: 'assistant', content: '', ...message },
        done: false,
      })),
      {
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: promptTokens,
        eval_count: 9,
      },
    ];
  }
  const made = native && calls.length > 0 ? (quirk.callFrames ?? usualCalls)(calls) : [];
  const finish = made.length > 0 ? 'tool_calls' : 'stop';
  return [
    ...[...deltas, ...made].map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 9 } },
  ];
}

/** Whether the model can call a tool natively: it was shown the tools, or the prompt names one. */
function isShown({ hidesTools }: Quirk, { hasTools }: Asked, messages: Heard[]): boolean {
  return hasTools && (!hidesTools || messages.some(({ text }) => text.includes('the tool report_color')));
}

/** The tokens of what the template shows to the model. */
function shownTokens({ hidesTools }: Quirk, { messages, tools }: Asked['body']): number {
  return Math.ceil(JSON.stringify([messages, hidesTools ? [] : tools]).length / 4);
}

export function xmlCalls(calls: Call[]): string {
  return calls
    .map(({ name, input }) => `<tool_call>\n${JSON.stringify({ name, parameters: input })}\n</tool_call>`)
    .join('\n');
}

function jsonReply(calls: Call[]): string {
  return JSON.stringify({ say: '', calls: calls.map(({ name, input }) => ({ name, arguments: input })) });
}

function usualCalls(calls: Call[]): Frame[] {
  return calls.map(({ name, input }, index) => ({
    tool_calls: [
      { index, id: `call-${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
    ],
  }));
}

function ollamaCall({ name, input }: Call): Frame {
  return { function: { name, arguments: input } };
}

/** A message's text and calls, as a template would present them to the model. */
function heard({ role, content, ...rest }: { role: string; content: unknown }): Heard {
  const parts: unknown[] = Array.isArray(content) ? content : [{ text: content ?? '' }];
  const text = parts.map((part) => (part as { text?: unknown }).text ?? '').join('\n');
  const calls = 'tool_calls' in rest ? JSON.stringify(rest.tool_calls) : '';
  return { role, text: text + calls };
}

function usualAsides({ provider }: Quirk): Record<string, unknown> {
  if (provider === 'ollama') {
    return {
      '/api/tags': {
        models: [{ name: 'tiny', digest: 'sha-1', size: 1e9, details: { quantization_level: 'Q4_0' } }],
      },
      '/api/show': {
        capabilities: ['completion', 'tools'],
        model_info: { 'general.architecture': 'tiny', 'tiny.context_length': 32_768 },
      },
    };
  }
  return { '/v1/models': { object: 'list', data: [{ id: 'tiny', object: 'model' }] } };
}

async function bodyOf(request: IncomingMessage): Promise<Asked['body']> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Asked['body']);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, frames: Frame[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(eventsOf(frames));
}

function sendLines(response: ServerResponse, frames: Frame[]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
}

export function eventsOf(frames: Frame[]): string {
  return `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`;
}
