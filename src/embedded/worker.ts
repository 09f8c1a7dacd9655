import { parentPort } from 'node:worker_threads';
import { createEngine, TemplateError } from './engine.ts';
import { OverflowError } from './generate.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** The thread that runs llama.cpp: one order at a time; only an abort is handled at once. */
const port = parentPort;
if (!port) throw new Error('This file is a worker thread, not a program.');

const engine = createEngine();
const aborted = new Set<number>();
let queue: Promise<void> = Promise.resolve();

const send = (message: FromWorker) => port.postMessage(message);

port.on('message', (message: ToWorker) => {
  if (message.type === 'abort') {
    aborted.add(message.id);
    return;
  }
  queue = queue.then(async () => {
    const { id } = message;
    try {
      send({ id, type: 'done', answer: await carryOut(message) });
    } catch (error) {
      const { message: words } = error as Error;
      const fault =
        error instanceof OverflowError ? 'overflow' : error instanceof TemplateError ? 'template' : 'other';
      send({ id, type: 'failed', fault, message: words });
    } finally {
      aborted.delete(id);
    }
  });
});

async function carryOut(message: Exclude<ToWorker, { type: 'abort' }>): Promise<unknown> {
  switch (message.type) {
    case 'load':
      return engine.load(message.order);
    case 'render':
      return engine.render(message.order);
    case 'respell':
      return engine.respell(message.order);
    case 'count':
      return engine.count(message.order);
    case 'generate':
      return engine.generate(message.order, {
        text: (text) => send({ id: message.id, type: 'text', text }),
        isAborted: () => aborted.has(message.id),
      });
    case 'embed':
      return engine.embed(message.order);
    case 'unload':
      await engine.unload();
      return null;
  }
  return message satisfies never;
}
