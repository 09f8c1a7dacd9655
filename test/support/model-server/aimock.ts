import { type Fixture, LLMock } from '@copilotkit/aimock';
import { argumentText, joined, stopOf } from './pieces.ts';
import { type ProtocolName, record, type View } from './protocol.ts';
import { viewChat } from './protocols/view-openai-chat.ts';
import type { Answer, Reply } from './script.ts';

type Response = Exclude<Fixture['response'], (...args: never[]) => unknown>;

export type IndependentServer = {
  /** `http://127.0.0.1:PORT`; OpenAI clients append `/v1`. */
  url: string;
  readonly requests: (View & { protocol: ProtocolName; path: string })[];
  /** A request arrived after the last step. */
  readonly exhausted: boolean;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * The same script played by a third-party server, so that our server and client cannot share a
 * misunderstanding. It plays text, calls, thoughts, usage, stop reasons and HTTP errors; steps with wire
 * faults are refused here.
 */
export async function startAimock(script: readonly Reply[]): Promise<IndependentServer> {
  const steps = script.map(toResponse);
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 7 });
  let played = 0;
  // One fixture that matches everything and has its own counter: the library's sequence numbers count matches
  // of one fixture, and its turn numbers count assistant messages, which a retry or a compaction would
  // change.
  mock.addFixture({
    match: { predicate: () => true },
    response: () => {
      played += 1;
      return steps[played - 1] ?? exhaustion(steps.length, played);
    },
  });
  const url = await mock.start();
  const close = () => mock.stop();
  return {
    url,
    get requests() {
      return mock.getRequests().flatMap(({ path, body }) => {
        const protocol = protocolAt(path);
        // Whatever the protocol, the journal stores the request in Chat Completions format.
        return protocol === undefined ? [] : [{ ...viewChat(record(body)), protocol, path }];
      });
    },
    get exhausted() {
      return played > steps.length;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toResponse(reply: Reply): Response {
  switch (reply.type) {
    case 'answer':
      return toAnswer(reply);
    case 'failure': {
      const { message = `scripted failure ${reply.status}`, type, retryAfter } = reply.words;
      return {
        status: reply.status,
        error: { message, ...(type === undefined ? {} : { type }) },
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    }
    case 'raw':
    case 'hang':
      throw new Error(`aimock cannot play a step of type ${reply.type}; use startModelServer.`);
    default:
      return reply satisfies never;
  }
}

function toAnswer(answer: Answer): Response {
  const faults = Object.keys(answer.delivery);
  if (faults.length > 0)
    throw new Error(`aimock cannot deliver with ${faults.join(', ')}; use startModelServer.`);
  const reasoning = joined(answer, 'thinking');
  const content = joined(answer, 'text');
  const toolCalls = answer.parts.flatMap((part) =>
    part.type === 'call'
      ? [{ name: part.name, arguments: argumentText(part) ?? '', ...(part.id ? { id: part.id } : {}) }]
      : [],
  );
  const shared = {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(answer.usage ? { usage: inEveryDialect(answer.usage) } : {}),
    ...(answer.stop === undefined ? {} : { finishReason: FINISH[stopOf(answer)] }),
  };
  if (toolCalls.length === 0) return { content, ...shared };
  return content === '' ? { toolCalls, ...shared } : { content, toolCalls, ...shared };
}

const FINISH = { end: 'stop', calls: 'tool_calls', max_tokens: 'length', refusal: 'content_filter' } as const;

/** A fixture does not know the protocol of the request; each implementation picks the names it knows. */
function inEveryDialect({ inputTokens = 0, outputTokens = 0 }: NonNullable<Answer['usage']>) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
  };
}

function exhaustion(steps: number, request: number): Response {
  return { status: 500, error: { message: `the script has ${steps} steps, this is request ${request}` } };
}

function protocolAt(path: string): ProtocolName | undefined {
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (path.endsWith('/chat/completions')) return 'openai-chat';
  if (path.endsWith('/responses')) return 'openai-responses';
  if (path.includes('enerateContent')) return 'google';
  return path.startsWith('/api/chat') ? 'ollama' : undefined;
}
