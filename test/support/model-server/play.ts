import { setTimeout as sleep } from 'node:timers/promises';
import { hangUp, type Line, send, untilLeft } from './deliver.ts';
import { json } from './http.ts';
import type { Frame, Protocol, SeenRequest } from './protocol.ts';
import type { Delivery, Place, Reply } from './script.ts';

type Scene = { seen: SeenRequest; seq: number; protocol: Protocol; line: Line };

/** Sends one reply as bytes. */
export async function play(reply: Reply, { seen, seq, protocol, line }: Scene): Promise<void> {
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
      const exchange = { seq, model: seen.model, body: seen.body, now: new Date() };
      const { delivery } = reply;
      const ids = { 'request-id': `req_${seq}`, 'x-request-id': `req_${seq}` };
      if (protocol.wantsStream(seen.body, seen.path)) {
        const headers = { 'content-type': protocol.mediaType, 'cache-control': 'no-cache', ...ids };
        return send(
          { status: 200, headers, frames: [...protocol.frames(reply, exchange)], delivery, protocol },
          line,
        );
      }
      const frames = halves(JSON.stringify(protocol.whole(reply, exchange)));
      const headers = { 'content-type': 'application/json', ...ids };
      if (delivery.error)
        return json(line.response, { status: 500, body: protocol.error(500, delivery.error) });
      return send({ status: 200, headers, frames, delivery: inTheMiddle(delivery), protocol }, line);
    }
    default:
      return reply satisfies never;
  }
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
