import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type TimedStream = {
  url: string;
  /** When each word was written, by performance.now(). `w17w` is the 17th. */
  sent: number[];
  [Symbol.asyncDispose](): Promise<void>;
};

const usage = { input_tokens: 10, output_tokens: 1 };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  usage,
};

/** Answers every request with this many words over Anthropic's protocol, one every two milliseconds by default. */
export async function startTimedStream(
  words: number,
  perSecond = 500,
  wordOf = (index: number) => `w${index}w`,
): Promise<TimedStream> {
  const sent: number[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    say('message_start', { message });
    say('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    const started = performance.now();
    for (let i = 0; i < words && !response.destroyed; i++) {
      const text = `${wordOf(i)}${i % 12 === 11 ? '\n\n' : ' '}`;
      say('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
      const now = performance.now();
      sent[i] = now;
      const early = started + ((i + 1) * 1000) / perSecond - now;
      if (early > 0) await sleep(early);
    }
    say('content_block_stop', { index: 0 });
    say('message_delta', { delta: { stop_reason: 'end_turn' }, usage });
    say('message_stop', {});
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
