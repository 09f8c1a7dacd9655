import { setTimeout as sleep } from 'node:timers/promises';
import { hangUp, type Line, send, untilLeft } from './deliver.ts';
import { json } from './http.ts';
import { joined } from './pieces.ts';
import type { Frame, Protocol, SeenRequest } from './protocol.ts';
import type { Answer, Delivery, Place, Reply } from './script.ts';
import { isThinkingOn } from './vendors/anthropic/thinking.ts';
import { hasPhase, phaseOf } from './vendors/openai.ts';
import { reasoningDetails } from './vendors/openrouter.ts';
import type { VendorRequest } from './vendors/rule.ts';

type Scene = { seen: SeenRequest; seq: number; protocol: Protocol; line: Line; request: VendorRequest };

/** Sends one reply as bytes. */
export async function play(reply: Reply, { seen, seq, protocol, line, request }: Scene): Promise<void> {
  switch (reply.type) {
    case 'failure': {
      const { retryAfter } = reply.words;
      // Google sends the delay in the body and no header.
      const headers: Record<string, string> =
        retryAfter !== undefined && protocol.name !== 'google' ? { 'retry-after': String(retryAfter) } : {};
      line.onLast();
      return json(line.response, {
        status: reply.status,
        body: protocol.error(reply.status, reply.words),
        headers,
      });
    }
    case 'hang':
      if (reply.ms === undefined) return untilLeft(line.left);
      await sleep(reply.ms, undefined, { signal: line.left });
      return hangUp(line);
    case 'raw': {
      const { status, headers, delivery } = reply;
      line.response.writeHead(status, headers);
      line.response.flushHeaders();
      for (const chunk of reply.chunks) {
        line.response.write(chunk);
        await sleep(delivery.betweenMs ?? 1, undefined, { signal: line.left });
      }
      line.onLast();
      line.response.end();
      return;
    }
    case 'answer': {
      const exchange = { seq, model: seen.model, body: seen.body, now: new Date(), request };
      const { delivery } = reply;
      const answer = request.settled.thinks ? thoughtful(reply, request) : reply;
      remember(answer, request);
      const ids = { 'request-id': `req_${seq}`, 'x-request-id': `req_${seq}` };
      if (protocol.wantsStream(seen.body, seen.path)) {
        const headers = { 'content-type': protocol.mediaType, 'cache-control': 'no-cache', ...ids };
        return send(
          { status: 200, headers, frames: [...protocol.frames(answer, exchange)], delivery, protocol },
          line,
        );
      }
      const frames = halves(JSON.stringify(protocol.whole(answer, exchange)));
      const headers = { 'content-type': 'application/json', ...ids };
      if (delivery.error)
        return json(line.response, { status: 500, body: protocol.error(500, delivery.error) });
      return send({ status: 200, headers, frames, delivery: inTheMiddle(delivery), protocol }, line);
    }
    default:
      return reply satisfies never;
  }
}

/** The answer with a thought at its start, if it has none and the model thinks. */
function thoughtful(answer: Answer, { protocol, body }: VendorRequest): Answer {
  const isOff = protocol === 'anthropic' && !isThinkingOn(body);
  if (isOff || answer.parts.some((part) => part.type === 'thinking')) return answer;
  return { ...answer, parts: [{ type: 'thinking', text: 'What is the next step?' }, ...answer.parts] };
}

function remember(answer: Answer, request: VendorRequest): void {
  const { protocol, model, sent } = request;
  const calls = answer.parts.flatMap((part) =>
    part.type === 'call' ? [{ name: part.name, input: part.input }] : [],
  );
  const thinking = joined(answer, 'thinking');
  const details = reasoningDetails(answer, request);
  sent.add({
    protocol,
    model,
    text: joined(answer, 'text'),
    thinking,
    calls,
    ...(protocol === 'openai-responses' && hasPhase(model) && { phase: phaseOf(answer) }),
    ...(details.length > 0 && { reasoningDetails: details }),
  });
}

function halves(body: string): Frame[] {
  const middle = Math.ceil(body.length / 2);
  return [{ text: body.slice(0, middle) }, { text: body.slice(middle) }];
}

/** What happens to a stream at some frame happens to a body at its middle. */
function inTheMiddle({ keepAlive: _noFrames, ...delivery }: Delivery): Delivery {
  const after = (place: Place) => (place === 0 ? 0 : 1);
  const { cut, stall, invalidJson } = delivery;
  return {
    ...delivery,
    ...(cut ? { cut: { ...cut, after: after(cut.after) } } : {}),
    ...(stall ? { stall: { after: after(stall.after) } } : {}),
    ...(invalidJson ? { invalidJson: { after: 1 } } : {}),
  };
}
