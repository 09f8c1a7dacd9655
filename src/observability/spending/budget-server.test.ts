import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { openServedBudget } from './budget-client.ts';
import { BudgetServer } from './budget-server.ts';
import { createFileBudget, openFileBudget } from './file-budget.ts';

async function served() {
  const { home } = await workspace();
  const folder = path.join(home, 'budget');
  await createFileBudget(folder);
  const server = await BudgetServer.start();
  onTestFinished(() => server.close());
  const { address, end } = server.serve(openFileBudget({ folder, limits: [], quotas: {} }));
  return { address, end, budget: openServedBudget({ address, limits: [], quotas: {} }) };
}

const NOTHING = { usd: 0, tokens: 0, turns: 0 };

test('a budget that has ended answers nobody', async () => {
  const { address, end, budget } = await served();
  expect(await budget.totals()).toEqual({ spent: NOTHING, held: NOTHING });
  const asked = budget.reserve('a', NOTHING);
  end();
  await expect(asked).rejects.toThrow('has ended');
  await expect(budget.totals()).rejects.toThrow('has ended');
  const late = openServedBudget({ address, limits: [], quotas: {} });
  await expect(late.totals()).rejects.toThrow('has ended');
});

test('only who knows its token is answered, and only questions', async () => {
  const { address, budget } = await served();
  const question = '{"id":1,"ask":"totals"}\n';
  for (const text of [`${question}`, `x${address.token}\n${question}`, `${address.token}\nnonsense\n`]) {
    const socket = connect(address.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    expect(heard).toBe('');
  }
  expect(await budget.totals()).toEqual({ spent: NOTHING, held: NOTHING });
});

test('what goes wrong with a budget reaches who asked', async () => {
  const { home } = await workspace();
  const server = await BudgetServer.start();
  onTestFinished(() => server.close());
  const { address } = server.serve(
    openFileBudget({ folder: path.join(home, 'none'), limits: [], quotas: {} }),
  );
  const budget = openServedBudget({ address, limits: [], quotas: {} });
  await expect(budget.totals()).rejects.toThrow('missing or damaged');
  await expect(budget.reserve('a', NOTHING)).rejects.toThrow('missing or damaged');
});
