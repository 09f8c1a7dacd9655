import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import * as z from 'zod';
import type { SharedBudget } from '../../contract/shared-budget.ts';
import { onSocketLine } from '../../lib/network/socket-lines.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { BudgetAddress, BudgetQuestion, BudgetReply } from './budget-client.ts';

const amounts = z.object({ usd: z.number(), tokens: z.number(), turns: z.number() });
const questionSchema = z.intersection(
  z.object({ id: z.number() }),
  z.discriminatedUnion('ask', [
    z.object({ ask: z.literal('totals') }),
    z.object({ ask: z.literal('reserve'), call: z.string(), amounts }),
    z.object({ ask: z.literal('settle'), call: z.string(), amounts }),
    z.object({
      ask: z.literal('quota'),
      key: z.string(),
      cost: z.object({ requests: z.number(), tokens: z.number() }),
      limits: z.object({
        requestsPerMinute: z.number().exactOptional(),
        tokensPerMinute: z.number().exactOptional(),
      }),
    }),
    z.object({ ask: z.literal('pace'), vendor: z.string() }),
    z.object({
      ask: z.literal('report'),
      vendor: z.string(),
      rejected: z.boolean(),
      retryAfterMs: z.number().optional(),
    }),
  ]),
);

/** A budget that children of this process may use, until it is ended. */
export type ServedBudget = { address: BudgetAddress; end(): void };

type Served = { budget: SharedBudget; sockets: Set<Socket> };

/**
 * Lets children of this process use its budgets: they need neither a connection to where these are kept nor its password.
 * Each budget has a secret of its own, and only this machine is heard.
 */
export class BudgetServer {
  readonly #server: Server;
  readonly #served = new Map<string, Served>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#listen(socket));
  }

  static async start(): Promise<BudgetServer> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BudgetServer(server);
  }

  serve(budget: SharedBudget): ServedBudget {
    const token = randomBytes(32).toString('hex');
    const served = { budget, sockets: new Set<Socket>() };
    this.#served.set(token, served);
    return {
      address: { port: (this.#server.address() as AddressInfo).port, token },
      end: () => {
        this.#served.delete(token);
        for (const socket of served.sockets) socket.destroy();
      },
    };
  }

  close(): void {
    this.#server.close();
    for (const { sockets } of this.#served.values()) for (const socket of sockets) socket.destroy();
  }

  #listen(socket: Socket): void {
    let served: Served | undefined;
    socket.on('close', () => served?.sockets.delete(socket));
    onSocketLine(socket, (line) => {
      if (served) {
        void reply(line, served.budget).then((text) => {
          if (text === null) socket.destroy();
          else if (socket.writable) socket.write(text);
        });
        return;
      }
      served = this.#served.get(line);
      if (served) served.sockets.add(socket);
      else socket.destroy();
    });
  }
}

/** Null for what is not a question. */
async function reply(line: string, budget: SharedBudget): Promise<string | null> {
  const { data } = questionSchema.safeParse(parseJson(line));
  if (!data) return null;
  const { id } = data;
  const answered: BudgetReply = await answer(data, budget).then(
    (value) => ({ id, value }),
    (error: Error) => ({ id, error: error.message }),
  );
  return `${JSON.stringify(answered)}\n`;
}

async function answer(question: BudgetQuestion, budget: SharedBudget): Promise<unknown> {
  switch (question.ask) {
    case 'totals':
      return budget.totals();
    case 'reserve':
      return budget.reserve(question.call, question.amounts);
    case 'settle':
      return budget.settle(question.call, question.amounts);
    case 'quota': {
      const { key, cost, limits } = question;
      return budget.quota.take(key, { cost, limits }, new AbortController().signal);
    }
    case 'pace':
      return budget.pace.next(question.vendor);
    case 'report': {
      const { vendor, rejected, retryAfterMs } = question;
      return budget.pace.report(vendor, { rejected, retryAfterMs });
    }
    default:
      return question satisfies never;
  }
}
