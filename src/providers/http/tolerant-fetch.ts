import { ByteStream } from '../../lib/network/byte-stream.ts';
import { streamedResponse } from '../../lib/network/streamed-response.ts';

/**
 * A fetch whose answers read as an event stream, also where a server sends one JSON object a line, or the whole reply
 * at once. The vendor's library would find nothing in either.
 */
export function tolerantFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    const { body } = response;
    if (!response.ok || body === null || !/json/i.test(type)) return response;
    const headers = new Headers(response.headers);
    headers.set('content-type', 'text/event-stream');
    headers.delete('content-length');
    const { status, statusText } = response;
    return streamedResponse(new ByteStream(asEvents(body)), { status, statusText, headers });
  };
}

/** Each frame that stands on lines of its own becomes an event; anything else passes as it is. */
async function* asEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let pending = '';
  for await (const chunk of body) {
    const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    for (const [i, line] of lines.entries()) {
      const value = compact(line);
      if (value === '') continue;
      if (value === null) {
        // The rest of one value over several lines.
        pending = [...lines.slice(i), pending].join('\n');
        break;
      }
      yield encoder.encode(`data: ${value}\n\n`);
    }
  }
  const last = compact(pending);
  if (last === null) yield encoder.encode(pending);
  else if (last !== '') yield encoder.encode(`data: ${last}\n\n`);
  if (last !== null) yield encoder.encode('data: [DONE]\n\n');
}

/** A frame on one line; empty for an empty text, null for what is none, or not yet. */
function compact(text: string): string | null {
  const trimmed = text.trim().replace(/^data:\s*/, '');
  if (trimmed === '' || trimmed === '[DONE]') return '';
  try {
    const value: unknown = JSON.parse(trimmed);
    const isFrame = typeof value === 'object' && value !== null && ('choices' in value || 'error' in value);
    return isFrame ? JSON.stringify(value) : null;
  } catch {
    return null;
  }
}
