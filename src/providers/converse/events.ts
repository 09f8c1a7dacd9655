import type { ProviderEvent } from '../../contract/provider.ts';
import { type WireNames, wireNames } from '../tool-names.ts';

/** One event of a streamed reply: an object with the event's type as its only key. */
export type ConverseFrame = {
  contentBlockStart?: {
    contentBlockIndex: number;
    start?: { toolUse?: { toolUseId: string; name: string } };
  };
  contentBlockDelta?: {
    contentBlockIndex: number;
    delta: {
      text?: string;
      toolUse?: { input?: string };
      reasoningContent?: { text?: string; signature?: string; redactedContent?: string };
    };
  };
  contentBlockStop?: { contentBlockIndex: number };
  messageStop?: { stopReason: string };
  metadata?: {
    usage?: {
      inputTokens?: number;
      outputTokens?: number;
      cacheReadInputTokens?: number;
      cacheWriteInputTokens?: number;
    };
  };
};

type Stop = Extract<ProviderEvent, { type: 'stop' }>['reason'];

/** State of one reply. `open`: the calls and thoughts that are still arriving, by index. */
export type ReplyState = {
  names: WireNames;
  open: Map<number, { type: 'call' } | { type: 'thought'; text: boolean; signature: string }>;
  stop?: Stop;
};

export function newReply(tools: readonly { name: string }[] = []): ReplyState {
  return { names: wireNames(tools), open: new Map() };
}

const STOP: Partial<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool_calls',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

/** Translates one frame to events. Unknown frames are ignored. The stop waits in the state for the usage. */
export function* toEvents(frame: ConverseFrame, state: ReplyState): Generator<ProviderEvent> {
  const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = frame;
  if (contentBlockStart?.start?.toolUse) {
    const { toolUseId, name } = contentBlockStart.start.toolUse;
    const key = String(contentBlockStart.contentBlockIndex);
    state.open.set(contentBlockStart.contentBlockIndex, { type: 'call' });
    yield { type: 'tool_call_start', key, id: toolUseId, name: state.names.fromWire(name) };
  }
  if (contentBlockDelta) yield* readDelta(contentBlockDelta, state);
  if (contentBlockStop) yield* closeBlock(contentBlockStop.contentBlockIndex, state);
  if (messageStop) state.stop = STOP[messageStop.stopReason] ?? 'end';
  const { usage } = metadata ?? {};
  if (usage) {
    yield {
      type: 'usage',
      usage: {
        inputTokens: usage.inputTokens ?? 0,
        outputTokens: usage.outputTokens ?? 0,
        cacheReadTokens: usage.cacheReadInputTokens ?? 0,
        cacheWriteTokens: usage.cacheWriteInputTokens ?? 0,
      },
    };
  }
}

function* readDelta(
  { contentBlockIndex: index, delta }: NonNullable<ConverseFrame['contentBlockDelta']>,
  { open }: ReplyState,
): Generator<ProviderEvent> {
  if (delta.text) yield { type: 'text', text: delta.text };
  if (delta.toolUse?.input) yield { type: 'tool_call_delta', key: String(index), json: delta.toolUse.input };
  const thought = delta.reasoningContent;
  if (!thought) return;
  if (thought.redactedContent !== undefined) {
    yield { type: 'thinking_signature', signature: thought.redactedContent, redacted: true };
    return;
  }
  const found = open.get(index);
  const block = found?.type === 'thought' ? found : { type: 'thought' as const, text: false, signature: '' };
  open.set(index, block);
  block.signature += thought.signature ?? '';
  if (!thought.text) return;
  block.text = true;
  yield { type: 'thinking', text: thought.text };
}

function* closeBlock(index: number, { open }: ReplyState): Generator<ProviderEvent> {
  const block = open.get(index);
  open.delete(index);
  if (block?.type === 'call') yield { type: 'tool_call_end', key: String(index) };
  if (block?.type !== 'thought' || block.signature === '') return;
  // A hidden thought still needs a start, or its signature would close the previous block.
  if (!block.text) yield { type: 'thinking', text: '' };
  yield { type: 'thinking_signature', signature: block.signature };
}
