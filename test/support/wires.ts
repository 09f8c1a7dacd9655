import { createAnthropic } from '../../src/providers/anthropic/anthropic.ts';
import { createGoogle } from '../../src/providers/google/google.ts';
import { createOllama } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIChat } from '../../src/providers/openai/chat.ts';
import { createOpenAIResponses } from '../../src/providers/openai/responses.ts';
import type { CreateProvider } from '../../src/providers/options.ts';

type Frame = Record<string, unknown>;

export type Wire = {
  create: CreateProvider;
  type: string;
  /** Frames that send these pieces of a text. */
  says(...pieces: string[]): Frame[];
  /** Frames that close the reply. */
  ends: Frame[];
  /** Frames as the bytes of a body, with the given line ending. */
  body(frames: readonly Frame[], lineEnd?: string): Buffer;
};

/** `named`: each event also has the name that its data calls `type`. */
function events({ named = false } = {}): Pick<Wire, 'type' | 'body'> {
  return {
    type: 'text/event-stream',
    body: (frames, lineEnd = '\n') =>
      Buffer.from(
        frames
          .map((frame) => {
            const name = named ? [`event: ${String(frame.type)}`] : [];
            return [...name, `data: ${JSON.stringify(frame)}`, '', ''].join(lineEnd);
          })
          .join(''),
      ),
  };
}

/** Every wire protocol, as its server implements it. */
export const wires: Record<string, Wire> = {
  anthropic: {
    create: createAnthropic,
    ...events({ named: true }),
    says: (...pieces) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...pieces.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
    ],
    ends: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
  },
  'openai-chat': {
    create: createOpenAIChat,
    ...events(),
    says: (...pieces) => pieces.map((content) => ({ choices: [{ delta: { content } }] })),
    ends: [{ choices: [{ delta: {}, finish_reason: 'stop' }] }],
  },
  'openai-responses': {
    create: createOpenAIResponses,
    ...events({ named: true }),
    says: (...pieces) =>
      pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
    ends: [{ type: 'response.completed', response: {} }],
  },
  google: {
    create: createGoogle,
    ...events(),
    says: (...pieces) => pieces.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] })),
    ends: [{ candidates: [{ finishReason: 'STOP' }] }],
  },
  ollama: {
    create: createOllama,
    type: 'application/x-ndjson',
    says: (...pieces) => pieces.map((content) => ({ message: { role: 'assistant', content }, done: false })),
    ends: [{ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }],
    // JSON lines end with LF, or CRLF.
    body: (frames, lineEnd = '\n') =>
      Buffer.from(
        frames.map((frame) => JSON.stringify(frame) + (lineEnd === '\r' ? '\n' : lineEnd)).join(''),
      ),
  },
};
