import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Protocol } from './protocol.ts';
import type { Delivery, Place } from './script.ts';

export type Parcel = {
  status: number;
  headers: Record<string, string>;
  frames: Frame[];
  delivery: Delivery;
  protocol: Protocol;
};

/**
 * Where and how to send. `left` is aborted when the client disconnects; `onLast` is called just before the
 * last byte.
 */
export type Line = { response: ServerResponse; left: AbortSignal; onLast(): void };

/**
 * Sends frames as the delivery specifies, including faults. Throws an AbortError when the client disconnects.
 */
export async function send(
  { status, headers, frames, delivery, protocol }: Parcel,
  line: Line,
): Promise<void> {
  const { response, left } = line;
  const { sent, last } = plan(frames, delivery, protocol);
  if (delivery.firstMs) await sleep(delivery.firstMs, undefined, { signal: left });
  response.writeHead(status, headers);
  response.flushHeaders();

  for (const [i, frame] of sent.entries()) {
    if (i > 0 && delivery.betweenMs) await sleep(delivery.betweenMs, undefined, { signal: left });
    if (delivery.keepAlive) await write(protocol.keepAlive, delivery, line);
    if (last === 'end' && i === sent.length - 1) line.onLast();
    await write(frame.text, delivery, line);
  }
  await finish(last, line);
}

/** Destroys the connection once everything written has left this process. */
export async function hangUp({ response, onLast }: Line): Promise<void> {
  await nextTurn();
  onLast();
  response.socket?.destroy();
}

export function untilLeft(left: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = () => reject(left.reason);
    if (left.aborted) leave();
    else left.addEventListener('abort', leave, { once: true });
  });
}

type Ending = 'end' | 'break' | 'stall';

function plan(frames: Frame[], delivery: Delivery, protocol: Protocol): { sent: Frame[]; last: Ending } {
  const { cut, stall, error, invalidJson } = delivery;
  if (cut) return { sent: frames.slice(0, indexOf(cut.after, frames)), last: cut.how };
  if (stall) return { sent: frames.slice(0, indexOf(stall.after, frames)), last: 'stall' };
  if (error) {
    const { after, ...words } = error;
    return {
      sent: [...frames.slice(0, indexOf(after, frames)), { text: protocol.errorFrame(words) }],
      last: 'end',
    };
  }
  if (invalidJson) {
    const after = Math.min(indexOf(invalidJson.after, frames), frames.length - 1);
    const at = frames.findIndex((frame, i) => i >= after && !frame.echo);
    return { sent: frames.map((frame, i) => (i === at ? { text: broken(frame.text) } : frame)), last: 'end' };
  }
  return { sent: frames, last: 'end' };
}

function indexOf(place: Place, frames: Frame[]): number {
  if (place !== 'content') return Math.min(place, frames.length);
  const ending = frames.findIndex((frame) => frame.ending);
  return ending < 0 ? frames.length : ending;
}

/** A frame with truncated JSON, while the frame itself is properly closed. */
function broken(text: string): string {
  const body = text.trimEnd();
  return body.slice(0, -2) + text.slice(body.length);
}

async function write(text: string, { tornBytes }: Delivery, { response, left }: Line): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += tornBytes ?? bytes.length) {
    const roomy = response.write(bytes.subarray(at, at + (tornBytes ?? bytes.length)));
    if (!roomy) await once(response, 'drain', { signal: left });
    if (tornBytes !== undefined) await nextTurn();
  }
  left.throwIfAborted();
}

async function finish(last: Ending, line: Line): Promise<void> {
  switch (last) {
    case 'end':
      line.onLast();
      line.response.end();
      return;
    case 'break':
      return hangUp(line);
    case 'stall':
      return untilLeft(line.left);
    default:
      last satisfies never;
  }
}
