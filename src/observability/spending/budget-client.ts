import { connect } from 'node:net';
import type { QuotaLimits } from '../../contract/quota.ts';
import type { LimitAmounts, SharedBudget } from '../../contract/shared-budget.ts';
import { onSocketLine } from '../../lib/network/socket-lines.ts';

/** A budget that another process of this machine serves, see `BudgetServer`. */
export type BudgetAddress = { port: number; token: string };

/** One line each. The first line of a connection is the token. */
export type BudgetQuestion =
  | { ask: 'totals' }
  | { ask: 'reserve'; call: string; amounts: LimitAmounts }
  | { ask: 'settle'; call: string; amounts: LimitAmounts }
  | { ask: 'quota'; key: string; cost: { requests: number; tokens: number }; limits: QuotaLimits }
  | { ask: 'pace'; vendor: string }
  | { ask: 'report'; vendor: string; rejected: boolean; retryAfterMs?: number | undefined };

export type BudgetReply = { id: number; value?: unknown; error?: string };

type Options = Pick<SharedBudget, 'limits' | 'quotas'> & { address: BudgetAddress };

/** Questions wait for their replies for as long as the server is there. */
export function openServedBudget({ address, limits, quotas }: Options): SharedBudget {
  const { ask, close } = connectTo(address);
  return {
    limits,
    quotas,
    quota: {
      async take(key, { cost, limits }, signal) {
        const wait = await ask({ ask: 'quota', key, cost, limits });
        signal.throwIfAborted();
        return wait as number;
      },
    },
    pace: {
      next: async (vendor) => (await ask({ ask: 'pace', vendor })) as number,
      async report(vendor, outcome) {
        await ask({ ask: 'report', vendor, ...outcome });
      },
    },
    totals: async () => (await ask({ ask: 'totals' })) as Awaited<ReturnType<SharedBudget['totals']>>,
    reserve: async (call, amounts) => (await ask({ ask: 'reserve', call, amounts })) as boolean,
    async settle(call, amounts) {
      await ask({ ask: 'settle', call, amounts });
    },
    close: async () => close(),
  };
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

function connectTo({ port, token }: BudgetAddress) {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(gone());
    waiting.clear();
  });
  socket.write(`${token}\n`);
  onSocketLine(socket, (line) => {
    const { id, value, error } = JSON.parse(line) as BudgetReply;
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(value);
    else one?.reject(new Error(error));
  });
  return {
    ask: (question: BudgetQuestion) =>
      new Promise<unknown>((resolve, reject) => {
        if (socket.destroyed) return reject(gone());
        const id = ++count;
        waiting.set(id, { resolve, reject });
        socket.write(`${JSON.stringify({ ...question, id })}\n`);
      }),
    close: () => void socket.destroy(),
  };
}

const gone = () => new Error('The process that keeps the shared budget has ended.');
