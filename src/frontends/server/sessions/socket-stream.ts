import { type AnyMessage, RequestError, type Stream } from '@agentclientprotocol/sdk';
import type { WebSocket } from 'ws';
import { isObject, parseJson } from '../../../lib/text/json.ts';

/** Above this, the sender waits. */
const MOST_BUFFERED_BYTES = 1_000_000;
/** A client that takes nothing for so long is cut off. */
const STALLED_MS = 30_000;

const prepared = new WeakMap<object, string>();

/** Params that are written as this JSON, so that what many clients get is serialized once. */
export function preparedParams(json: string): object {
  const params = {};
  prepared.set(params, json);
  return params;
}

/**
 * The messages of a WebSocket, one in each text frame. The library's own stream opens the socket itself, and does
 * not wait for slow readers.
 */
export function socketStream(socket: WebSocket): Stream {
  let isOpen = true;
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      socket.on('message', (data, isBinary) => {
        if (!isOpen) return;
        const message = isBinary ? null : parseJson(String(data));
        if (isObject(message)) controller.enqueue(message as AnyMessage);
        else refuse(socket);
      });
      socket.on('close', () => {
        if (isOpen) controller.close();
        isOpen = false;
      });
      // A close event follows.
      socket.on('error', () => undefined);
    },
    cancel() {
      isOpen = false;
      socket.close();
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => send(socket, jsonOf(message)),
    close: () => socket.close(),
    abort: () => socket.terminate(),
  });
  return { readable, writable };
}

function jsonOf(message: AnyMessage): string {
  const params = 'method' in message && isObject(message.params) ? prepared.get(message.params) : undefined;
  if (params === undefined || !('method' in message)) return JSON.stringify(message);
  return `{"jsonrpc":"2.0","method":${JSON.stringify(message.method)},"params":${params}}`;
}

function send(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stalled = setTimeout(() => socket.terminate(), STALLED_MS);
    socket.send(text, (error) => {
      clearTimeout(stalled);
      if (error) reject(error);
      else resolve();
    });
    if (socket.bufferedAmount < MOST_BUFFERED_BYTES) resolve();
  });
}

function refuse(socket: WebSocket): void {
  const { code, message } = RequestError.parseError();
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}
