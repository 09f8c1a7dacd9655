// A chat bot that answers questions about the project in its folder: PORT=8080 node dist/bot.js
// POST / with { "conversation": "any name", "text": "a question" } answers { "text": "…" }. Each conversation remembers
// what was said before. The bot can read, and nothing else.
import { createServer, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { type Agent, createAgent } from 'ai-code-assistant';
import { z } from 'zod';

const question = z.object({ conversation: z.string().min(1).max(100), text: z.string().min(1).max(10_000) });
const MAX_BYTES = 100_000;

const agents = new Map<string, Promise<Agent>>();

function agentOf(conversation: string): Promise<Agent> {
  const agent =
    agents.get(conversation) ??
    createAgent({
      permissions: { mode: 'read-only' },
      instructions: 'You answer questions in a chat. Be brief, and name files with their paths.',
      budget: '$0.50',
      session: 'none',
    });
  agents.set(conversation, agent);
  return agent;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BYTES) throw new SyntaxError('too long');
  }
  return JSON.parse(text);
}

async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
  const parsed = question.safeParse(await bodyOf(request).catch(() => null));
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  const { conversation, text } = parsed.data;
  const agent = await agentOf(conversation);
  // Questions of one conversation are answered one after the other.
  const result = await agent.run(text).result;
  return result.stopReason === 'done'
    ? { status: 200, body: { text: result.text } }
    : { status: 502, body: { error: result.error?.message ?? result.stopReason } };
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error: Error) => ({ status: 500, body: { error: error.message } }))
    .then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(body)}\n`);
    });
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
});

process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  for (const agent of agents.values()) await (await agent).close();
});
