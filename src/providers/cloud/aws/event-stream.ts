import { EventStreamCodec, type Message } from '@smithy/core/event-streams';
import { type HttpResponse, withBody } from '../../../lib/network/http-client.ts';
import { parseJson } from '../../../lib/text/json.ts';

const LENGTH_BYTES = 4;
/** Larger frames do not exist; such a length is not one of this protocol. */
const MAX_FRAME = 24 * 1024 * 1024;

const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
);

/**
 * AWS's binary event stream as server-sent events, which the protocols read. A chunk of Claude's reply is the
 * event that Anthropic itself would send; any other event is an object with its type as the only key.
 */
export function asServerEvents(response: HttpResponse): HttpResponse {
  if (!/amazon\.eventstream/.test(response.headers['content-type'] ?? '')) return response;
  return withBody(response, toServerEvents(response.body));
}

async function* toServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const frame of framesIn(body)) yield Buffer.from(serverEvent(codec.decode(frame)));
}

/** Each frame starts with its length. */
async function* framesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= LENGTH_BYTES) {
      const length = pending.readUInt32BE(0);
      if (length > MAX_FRAME) throw new Error('This is not an AWS event stream.');
      if (pending.length < length) break;
      yield pending.subarray(0, length);
      pending = pending.subarray(length);
    }
  }
}

function serverEvent({ headers, body }: Message): string {
  const header = (name: string) => String(headers[name]?.value ?? '');
  const payload = decoder.decode(body);
  if (header(':message-type') !== 'event') {
    const type = header(':exception-type') || header(':error-code');
    const { message = header(':error-message') || type } = fieldsIn(payload);
    return `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message } })}\n\n`;
  }
  const type = header(':event-type');
  const { bytes } = fieldsIn(payload);
  const data = type === 'chunk' ? Buffer.from(String(bytes), 'base64').toString() : `{"${type}":${payload}}`;
  return `data: ${data.replaceAll('\n', ' ')}\n\n`;
}

function fieldsIn(payload: string): Record<string, unknown> {
  return (parseJson(payload) ?? {}) as Record<string, unknown>;
}
