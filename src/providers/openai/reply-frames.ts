import type { HttpResponse } from '../../lib/network/http-client.ts';
import { parseJson } from '../../lib/text/json.ts';
import { linesOf, serverEvents } from '../http/server-events.ts';

/**
 * The frames of a chat reply as JSON texts, from an event stream, from one JSON object per line, or from a
 * single JSON response.
 */
export async function* replyFrames({ headers, body }: HttpResponse): AsyncGenerator<string> {
  if (/json/i.test(headers['content-type'] ?? '')) yield* jsonFrames(body);
  else for await (const { data } of serverEvents(body)) yield data;
}

async function* jsonFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A value may span several lines.
  let pending = '';
  for await (const line of linesOf(body)) {
    pending = (pending + line.replace(/^data:\s*/, '')).trimStart();
    if (!pending.startsWith('[DONE]') && !isFrame(pending)) continue;
    yield pending;
    pending = '';
  }
}

function isFrame(text: string): boolean {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && ('choices' in value || 'error' in value);
}
