import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Message, readablePart } from '../contract/message.ts';
import type { Session } from '../contract/session.ts';
import { makeFolder } from '../lib/files/make-folder.ts';

export type TranscriptOptions = {
  file: string;
  session: Pick<Session, 'id' | 'workingDirectory' | 'messages'>;
  /** Replaces secrets. */
  hide<T>(value: T): T;
};

/** A conversation as JSON lines in the format of Claude Code, for hooks. */
export class Transcript {
  readonly file: string;
  readonly #options: TranscriptOptions;
  /** How many messages are in the file, and the last of them. */
  #written: { count: number; last: Message | undefined } = { count: 0, last: undefined };

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.file = options.file;
  }

  /** Brings the file up to date. */
  write(): void {
    const { session, hide } = this.#options;
    const { messages } = session;
    const { count, last } = this.#written;
    // After a rewind the file is written again.
    const from = count > 0 && messages[count - 1] === last ? count : 0;
    const lines = messages
      .slice(from)
      .map((message, i) => `${JSON.stringify(transcriptLine(hide(message), session, from + i))}\n`);
    this.#written = { count: messages.length, last: messages.at(-1) };
    if (from > 0 && lines.length === 0) return;
    makeFolder(path.dirname(this.file), 0o700);
    if (from > 0) appendFileSync(this.file, lines.join(''));
    else writeFileSync(this.file, lines.join(''), { mode: 0o600 });
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }
}

type Place = Pick<Session, 'id' | 'workingDirectory'>;

/** One message; a line refers to the one before it. */
function transcriptLine(message: Message, { id, workingDirectory }: Place, at: number) {
  return {
    type: message.role === 'assistant' ? 'assistant' : 'user',
    uuid: `${id}-${at}`,
    parentUuid: at === 0 ? null : `${id}-${at - 1}`,
    sessionId: id,
    cwd: workingDirectory,
    timestamp: message.timestamp,
    message: wireMessage(message),
  };
}

function wireMessage(message: Message) {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content.map(wirePart) };
    case 'assistant':
      return {
        role: 'assistant',
        model: message.model,
        content: message.content.map(readablePart).map(wirePart),
        ...(message.usage && {
          usage: {
            input_tokens: message.usage.inputTokens,
            output_tokens: message.usage.outputTokens,
            cache_read_input_tokens: message.usage.cacheReadTokens,
            cache_creation_input_tokens: message.usage.cacheWriteTokens,
          },
        }),
      };
    case 'tool': {
      const { callId, success, content } = message;
      const result = {
        type: 'tool_result',
        tool_use_id: callId,
        is_error: !success,
        content: content.map(wirePart),
      };
      return { role: 'user', content: [result] };
    }
  }
  return message satisfies never;
}

type Part = Message['content'][number];

function wirePart(part: Part) {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
    case 'thinking':
      return { type: 'thinking', thinking: part.text };
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
  }
  return part satisfies never;
}
