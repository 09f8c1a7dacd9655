import { createEngine, TemplateError } from './engine.ts';
import { OverflowError } from './generate.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/**
 * The process that runs llama.cpp: one order at a time; only an abort is handled at once. It ends with the
 * program that started it, which also kills it to cancel a load.
 */
const engine = createEngine();
const aborted = new Set<number>();
let queue: Promise<void> = Promise.resolve();

const send = (message: FromWorker) => void process.send?.(message);

// Ctrl+C in a terminal reaches every process; the program decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// A regular exit would wait for native threads, and crash them.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.on('message', (message: ToWorker) => {
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
      return engine.load(message.order, (share) => send({ id: message.id, type: 'loading', share }));
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
  }
  return message satisfies never;
}
