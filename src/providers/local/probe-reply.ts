import type { AssistantMessage, ToolCallPart } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { parseJson } from '../../lib/text/json.ts';

/** One collected reply. */
export type ProbeReply = {
  text: string;
  thought: string;
  calls: { name: string; input: unknown }[];
  /** The first call used the protocol's native tool calls. */
  native: boolean;
  /** The number of text chunks. */
  pieces: number;
  firstMs: number;
  tokensPerSecond?: number;
  inputTokens: number;
  message: AssistantMessage;
};

const CHARACTERS_PER_TOKEN = 4;

export async function collectReply(
  provider: Provider,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<ProbeReply> {
  const said = { text: '', thinking: '' };
  const calls = new Map<string, { name: string; json: string }>();
  const asked = performance.now();
  let first: number | undefined;
  let last = asked;
  let pieces = 0;
  let tokens = 0;
  let inputTokens = 0;
  for await (const event of provider.stream(request, signal)) {
    if (event.type === 'text' || event.type === 'thinking') {
      said[event.type] += event.text;
      pieces++;
    } else if (event.type === 'reclassify') {
      const all = said.thinking + said.text;
      said.thinking = event.as === 'thinking' ? all : '';
      said.text = event.as === 'text' ? all : '';
    } else if (event.type === 'tool_call_start') calls.set(event.key, { name: event.name, json: '' });
    else if (event.type === 'tool_call_delta') {
      const call = calls.get(event.key);
      if (call) call.json += event.json;
    } else if (event.type === 'usage') {
      tokens = event.usage.outputTokens;
      inputTokens = event.usage.inputTokens + event.usage.cacheReadTokens;
    }
    if (event.type === 'text' || event.type === 'thinking') {
      first ??= performance.now();
      last = performance.now();
    }
  }
  const made = [...calls.values()].map(({ name, json }) => ({ name, input: parsed(json) }));
  const length = tokens || Math.ceil((said.text.length + said.thinking.length) / CHARACTERS_PER_TOKEN);
  const seconds = (last - (first ?? asked)) / 1000;
  const [key = ''] = calls.keys();
  return {
    text: said.text,
    thought: said.thinking,
    calls: made,
    native: key !== '' && !key.startsWith('text-'),
    pieces,
    firstMs: Math.round((first ?? last) - asked),
    ...(seconds > 0 && pieces > 1 && { tokensPerSecond: Math.round((length / seconds) * 10) / 10 }),
    inputTokens,
    message: messageOf(provider.name, request.model, { text: said.text, calls: made }),
  };
}

function messageOf(
  provider: string,
  model: string,
  { text, calls }: Pick<ProbeReply, 'text' | 'calls'>,
): AssistantMessage {
  const parts = calls.map(
    ({ name, input }, i): ToolCallPart => ({ type: 'tool_call', id: `call_probe_${i + 1}`, name, input }),
  );
  const textParts = text === '' ? [] : [{ type: 'text' as const, text }];
  return {
    role: 'assistant',
    content: [...textParts, ...parts],
    provider,
    model,
    stopReason: calls.length > 0 ? 'tool_calls' : 'end',
    timestamp: new Date().toISOString(),
  };
}

function parsed(json: string): unknown {
  const value = parseJson(json);
  return typeof value === 'object' && value !== null ? value : {};
}
