import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Limit } from '../../contract/limit.ts';
import type { QuotaLimits } from '../../contract/quota.ts';
import {
  type LimitAmounts,
  type PaceState,
  ROUNDING,
  type SharedBudget,
} from '../../contract/shared-budget.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile, type Write } from '../../lib/files/file-update.ts';
import { isRunning, type ProcessName, thisProcess } from '../../lib/files/process-identity.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { parseObject } from '../../lib/text/json.ts';
import { createLocalQuota } from './local-quota.ts';
import { paceAfter, paceNext } from './pace.ts';

export type FileBudgetOptions = {
  /** Private; created before the first process uses it. */
  folder: string;
  limits: readonly Limit[];
  quotas: Readonly<Record<string, QuotaLimits>>;
  now?: () => number;
};

type Held = { most: LimitAmounts; process: ProcessName };

/** As small as the number of running calls, so that a call costs the same in a batch of any size. */
type State = { spent: LimitAmounts; held: Record<string, Held>; pace: Record<string, PaceState> };

const NOTHING: LimitAmounts = { usd: 0, tokens: 0, turns: 0 };

/** Nothing has been spent yet. Does not change a budget that exists. */
export async function createFileBudget(folder: string): Promise<void> {
  const file = fileOf(folder);
  await updateFile(file, async (write) => {
    if (!existsSync(file)) await write(JSON.stringify({ spent: NOTHING, held: {}, pace: {} }));
  });
}

/** Shared by the processes of one machine. Written through to the disk before a call is sent. */
export function openFileBudget({ folder, limits, quotas, now = Date.now }: FileBudgetOptions): SharedBudget {
  const file = fileOf(folder);
  const change = <T>(update: (state: State, save: () => Promise<void>) => Promise<T>): Promise<T> =>
    updateFile(file, (write: Write) => {
      const state = readState(file);
      return update(state, () => write(JSON.stringify(state)));
    });
  return {
    limits,
    quotas,
    quota: createLocalQuota({
      folder: path.join(folder, 'quota'),
      onTrouble(message) {
        throw new Error(message);
      },
    }),
    async totals() {
      const { spent, held } = totalsOf(readState(file));
      return { spent, held };
    },
    reserve: (id, most) =>
      change(async (state, save) => {
        if (state.held[id]) return true;
        const { spent, held, running } = totalsOf(state);
        const fits = limits.every(
          ({ unit, amount }) => spent[unit] + held[unit] + most[unit] <= amount + ROUNDING,
        );
        if (!fits) return false;
        state.spent = spent;
        state.held = { ...running, [id]: { most, process: thisProcess() } };
        await save();
        return true;
      }),
    settle: (id, used) =>
      change(async (state, save) => {
        if (!state.held[id]) return;
        delete state.held[id];
        state.spent = sum(state.spent, used);
        await save();
      }),
    pace: {
      async next(vendor) {
        // Most calls find nothing to wait for, and need no lock.
        if (!readState(file).pace[vendor]) return 0;
        return change(async (state, save) => {
          const { waitMs, state: after } = paceNext(state.pace[vendor], now());
          await keep(state, vendor, after, save);
          return waitMs;
        });
      },
      async report(vendor, outcome) {
        if (!outcome.rejected && !readState(file).pace[vendor]) return;
        await change(async (state, save) => {
          const after = paceAfter(state.pace[vendor], { ...outcome, now: now() });
          await keep(state, vendor, after, save);
        });
      },
    },
    close: async () => undefined,
  };
}

async function keep(
  state: State,
  vendor: string,
  pace: PaceState | undefined,
  save: () => Promise<void>,
): Promise<void> {
  if (pace) state.pace[vendor] = pace;
  else delete state.pace[vendor];
  await save();
}

/**
 * Calls of dead processes may have been charged in full. Each process is looked at once: one that dies meanwhile
 * counts either way, but never as neither.
 */
function totalsOf({ spent, held }: Pick<State, 'spent' | 'held'>) {
  const totals = { spent, held: NOTHING, running: {} as State['held'] };
  for (const [id, call] of Object.entries(held)) {
    const isUnderWay = isRunning(call.process) !== false;
    const kind = isUnderWay ? 'held' : 'spent';
    totals[kind] = sum(totals[kind], call.most);
    if (isUnderWay) totals.running[id] = call;
  }
  return totals;
}

function sum(a: LimitAmounts, b: LimitAmounts): LimitAmounts {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens, turns: a.turns + b.turns };
}

/** Throws if it is missing or damaged: a budget that starts again at zero would be exceeded. */
function readState(file: string): State {
  const state = parseObject(unlessErrno(['ENOENT'], '', () => readRegularText(file)));
  if (!state) throw new Error(`${file} is missing or damaged`);
  return state as State;
}

function fileOf(folder: string): string {
  return path.join(folder, 'spent.json');
}
