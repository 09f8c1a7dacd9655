import { ProviderError } from '../../contract/errors.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { type HttpClient, httpClient, tapped } from '../../lib/network/http-client.ts';
import { parseObject } from '../../lib/text/json.ts';
import { type CreateOptions, createProvider } from '../index.ts';
import type { Preset } from '../presets.ts';
import type { RequestFormat } from '../wrappers/adapt.ts';
import type { LocalModel } from './local-model.ts';
import { collectReply, type ProbeReply } from './probe-reply.ts';
import { measureWindow } from './probe-window.ts';
import type { ModelProfile } from './profile.ts';

export type ProbeOptions = Omit<CreateOptions, keyof RequestFormat | 'onAdapt' | 'think'> & {
  baseUrl: string;
  model: string;
  /** The server's details of the model. */
  facts: LocalModel | null;
  signal: AbortSignal;
  onStep?(words: string): void;
};

const ANSWER_TOKENS = 1024;
/** The shortest description of the probe's tool takes more. */
const LEAST_TOOL_TOKENS = 8;
const COLOR_TOOL = {
  name: 'report_color',
  description: 'Report a color.',
  parameters: {
    type: 'object',
    properties: { color: { type: 'string', description: 'Name of the color' } },
    required: ['color'],
  },
};

/** Sends a model a few small requests and records how it answers. Runs no tools. */
export async function probe(preset: Preset, options: ProbeOptions): Promise<ModelProfile> {
  const { model, facts, signal, onStep = () => undefined, baseUrl, ...reach } = options;
  let raw = '';
  const lines = new Map<string, Promise<Provider>>();
  const send = async (
    request: Pick<CompletionRequest, 'messages'> & Partial<CompletionRequest>,
    format: RequestFormat,
  ) => {
    const key = JSON.stringify(format);
    const line =
      lines.get(key) ??
      createProvider(preset, {
        ...reach,
        baseUrl,
        ...format,
        http: listening(reach.http, (text) => (raw += text)),
      });
    lines.set(key, line);
    raw = '';
    return collectReply(await line, { model, system: '', maxTokens: ANSWER_TOKENS, ...request }, signal);
  };
  const native: RequestFormat = { toolMode: 'native', resultRole: 'tool', systemRole: true };

  onStep('speed, streaming and thinking');
  const count = {
    system: 'You answer briefly.',
    messages: [user('Count from 1 to 20, separated by spaces.')],
  };
  const first = await replyOrError(send(count, native));
  const systemRole = !(first instanceof ProviderError);
  const counted = systemRole ? first : await send(count, { ...native, systemRole });
  const thinking = thinkingIn(raw, counted);
  const plain: RequestFormat = { ...native, systemRole };

  onStep('JSON mode');
  const jsonMode = await followsSchema((request) => replyOrError(send(request, plain)));

  const text: RequestFormat = { ...plain, toolMode: 'xml', resultRole: 'user' };
  const modes: RequestFormat[] = [
    plain,
    text,
    { ...text, toolMode: 'fence' },
    ...(jsonMode ? [{ ...text, toolMode: 'grammar' as const }] : []),
  ];
  const asked: ToolProbe['ask'] = (messages, format, tools = [COLOR_TOOL]) =>
    replyOrError(send({ tools, messages }, format));
  const tools = await probeTools(modes, { ask: asked, onStep });

  onStep('context length');
  const contextWindow =
    facts?.contextWindow ?? (await measureWindow((request) => replyOrError(send(request, plain))));
  return {
    server: baseUrl,
    model,
    ...(facts?.digest !== undefined && { digest: facts.digest }),
    measuredAt: new Date().toISOString(),
    by: 'probe',
    ...(tools ?? { toolMode: 'xml', resultRole: 'user', parallelCalls: false }),
    callsTools: tools !== null,
    systemRole,
    streaming: counted.pieces > 1,
    thinking,
    jsonMode,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(facts?.contextWindow !== undefined && { reportedWindow: facts.contextWindow }),
    ...(counted.tokensPerSecond !== undefined && { tokensPerSecond: counted.tokensPerSecond }),
    firstTokenMs: counted.firstMs,
  };
}

type ToolProbe = {
  /** With the probe's tool, unless other tools are given. */
  ask(
    messages: Message[],
    format: RequestFormat,
    tools?: readonly ToolDefinition[],
  ): Promise<ProbeReply | ProviderError>;
  onStep(words: string): void;
};

/** The first way to send tools that leads to a call, and what else is possible with it. Null if none does. */
async function probeTools(
  modes: readonly RequestFormat[],
  { ask, onStep }: ToolProbe,
): Promise<Pick<ModelProfile, 'toolMode' | 'resultRole' | 'parallelCalls'> | null> {
  onStep('tools');
  const question = user('Call the tool report_color with the color blue.');
  for (const format of modes) {
    const reply = await ask([question], format);
    if (reply instanceof ProviderError || !hasCalled(reply, ['blue'])) continue;
    const { toolMode, resultRole } = format;
    // If the call arrives as text although native tools were sent, the model needs text tools.
    if (
      toolMode === 'native' &&
      (!reply.native || !(await hasSeenTools(reply, () => ask([question], format, []))))
    )
      continue;
    onStep('parallel calls');
    const both = await ask([user(TWO_CALLS)], format);
    const parallelCalls = !(both instanceof ProviderError) && hasCalled(both, ['red', 'green']);
    if (resultRole !== 'tool') return { toolMode, resultRole, parallelCalls };
    onStep('results');
    const after = await ask([question, reply.message, resultOf(reply.message)], format);
    return { toolMode, resultRole: after instanceof ProviderError ? 'user' : 'tool', parallelCalls };
  }
  return null;
}

/**
 * The question names the tool, so a call proves nothing: only the size of the prompt shows whether the server's
 * template passed the tool on to the model.
 */
async function hasSeenTools(
  { inputTokens }: ProbeReply,
  askWithout: () => Promise<ProbeReply | ProviderError>,
): Promise<boolean> {
  const bare = await askWithout();
  if (bare instanceof ProviderError || bare.inputTokens === 0 || inputTokens === 0) return true;
  return inputTokens >= bare.inputTokens + LEAST_TOOL_TOKENS;
}

const TWO_CALLS =
  'Call the tool report_color twice in one reply: once with the color red, once with the color green.';

/** An error response counts as an answer; any other failure ends the probe. */
async function replyOrError(answer: Promise<ProbeReply>): Promise<ProbeReply | ProviderError> {
  try {
    return await answer;
  } catch (error) {
    const passing = ['auth', 'network', 'timeout', 'model_not_found', 'quota', 'rate_limit'];
    if (error instanceof ProviderError && !passing.includes(error.kind)) return error;
    throw error;
  }
}

async function followsSchema(
  send: (request: Pick<CompletionRequest, 'messages' | 'replySchema'>) => Promise<ProbeReply | ProviderError>,
): Promise<boolean> {
  const replySchema = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
  // The question does not ask for JSON: a model that answers in JSON was constrained by the schema.
  const reply = await send({ messages: [user('What is three plus four?')], replySchema });
  return !(reply instanceof ProviderError) && typeof parseObject(reply.text)?.sum === 'number';
}

function hasCalled({ calls }: ProbeReply, colors: readonly string[]): boolean {
  const asked = calls.map(({ name, input }) => {
    const { color } = input as { color?: unknown };
    return name === COLOR_TOOL.name && typeof color === 'string' ? color.toLowerCase() : '';
  });
  return colors.every((color) => asked.includes(color));
}

/** How thinking arrived, judged by the raw response. */
function thinkingIn(raw: string, { thought }: ProbeReply): ModelProfile['thinking'] {
  if (thought === '') return 'none';
  if (/"(reasoning_content|reasoning|thinking)":\s*"[^"]/.test(raw)) return 'field';
  const text = raw.replaceAll(/\\u003c/gi, '<').replaceAll(/\\u003e/gi, '>');
  const content = [...text.matchAll(/"content":\s*"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join('');
  if (content.includes('<|channel|>')) return 'channels';
  return /<\/think>/.test(content) && !/<think>/.test(content) ? 'bare' : 'tags';
}

function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: new Date().toISOString() };
}

function resultOf(message: Message): Message {
  const call = message.content.find((part) => part.type === 'tool_call');
  return {
    role: 'tool',
    callId: call?.type === 'tool_call' ? call.id : '',
    name: COLOR_TOOL.name,
    success: true,
    content: [{ type: 'text', text: 'Reported.' }],
    timestamp: new Date().toISOString(),
  };
}

/** Records the response bodies. */
function listening(http: HttpClient = httpClient, onText: (text: string) => void): HttpClient {
  return async (request) => {
    const decoder = new TextDecoder();
    return tapped(await http(request), (chunk) => onText(decoder.decode(chunk, { stream: true })));
  };
}
