// Streams an answer to a browser as it is written, as server-sent events: PORT=8080 node dist/stream.js, then open
// /?question=… with EventSource. The run ends when the browser goes away.
import { createServer, type ServerResponse } from 'node:http';
import process from 'node:process';
import { createAgent } from 'ai-code-assistant';

async function stream(question: string, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  const agent = await createAgent({ permissions: { mode: 'read-only' }, session: 'none', budget: '$0.50' });
  try {
    const run = agent.run(question, { signal: gone.signal });
    for await (const event of run) {
      if (event.type === 'text') send('text', event.text);
      else if (event.type === 'tool_start') send('step', event.title);
    }
    const { stopReason, costUsd } = await run.result;
    send('end', { stopReason, costUsd });
  } finally {
    await agent.close();
    response.end();
  }
}

const server = createServer((request, response) => {
  const question = new URL(request.url ?? '/', 'http://localhost').searchParams.get('question');
  if (question === null) {
    response.writeHead(400).end('Add ?question=…\n');
    return;
  }
  stream(question, response).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    response.end();
  });
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
