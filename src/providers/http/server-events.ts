import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ProviderError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';
import { endedEarly, notTheProtocol } from '../errors/protocol-errors.ts';
import { baseStatus, errorMessageIn, fromStreamedError } from '../errors/vendor-errors.ts';
import { fieldsOf } from '../local/query-server.ts';
import type { ProviderOptions } from '../options.ts';
import type { WireWatch } from './wire-watch.ts';

/**
 * Server-sent events as they arrive. The parser works on text, which is several times faster than on bytes.
 */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  let ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  const decoder = new TextDecoder();
  const normalize = lineFeeds();
  for await (const chunk of body) {
    parser.feed(normalize(decoder.decode(chunk, { stream: true })));
    const events = ready;
    ready = [];
    yield* events;
  }
}

/** The lines of a body as they arrive, with their line endings; the last one may lack it. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Converts CRLF and bare CR to LF, chunk by chunk. The parser itself holds back a CR at the end of a chunk
 * until more arrives, so with bare CRs the last event would be lost and every other one late.
 */
function lineFeeds(): (chunk: string) => string {
  let endedWithCr = false;
  return (chunk) => {
    if (chunk === '') return chunk;
    const text = endedWithCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedWithCr = chunk.endsWith('\r');
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  };
}

type Exchange = { watch: WireWatch; options: ProviderOptions; hasOutput: boolean };

/** Parses an event's data; throws if it is malformed or an error reported by the server. */
export function frameIn(data: string, { watch, options }: Pick<Exchange, 'watch' | 'options'>): unknown {
  let frame: { error?: unknown; message?: unknown } | null;
  try {
    frame = JSON.parse(data);
  } catch (error) {
    throw notTheProtocol(options, `${(error as Error).message} in ... ${watch.latest()}`);
  }
  if (frame?.error || baseStatus(frame)) throw fromStreamedError(frame?.error ?? frame, options);
  // Some servers send the bare error in place of a frame.
  if (typeof frame?.message === 'string') throw fromStreamedError(frame, options);
  return frame;
}

/** The stream ended without its final event: cut, empty, or not an event stream at all. */
export function withoutEnd({ watch, options, hasOutput }: Exchange): ProviderError {
  const opening = watch.opening();
  if (hasOutput || opening === '' || /^(data|event|id|retry)?:/m.test(opening))
    return endedEarly(options.name, hasOutput);
  const body = fieldsOf(parseJson(opening));
  return errorMessageIn(opening)
    ? fromStreamedError(body.error ?? body, options)
    : notTheProtocol(options, opening);
}
