import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { noUsage } from '../../contract/message.ts';
import { thisProcess } from '../../lib/files/process-identity.ts';
import { type CallOwner, type Entry, type Hold, Ledger } from './ledger.ts';

const owner: CallOwner = { session: 's', run: 'r', model: 'a/x', purpose: 'main' };
const noon = new Date(2026, 4, 6, 12);
const today = '2026-05-06.jsonl';

const entry = (id: string, usd = 1): Entry => ({ ...owner, id, at: noon.toISOString(), usage: noUsage, usd });
const hold = (id: string, tokens = 10): Hold => ({
  ...owner,
  id,
  at: noon.toISOString(),
  most: { usd: 0, tokens },
  sure: { usd: 0, tokens: 1 },
});

async function setUp() {
  const { home } = await workspace();
  const folder = path.join(home, 'ledger');
  return { folder, ledger: new Ledger(folder, () => noon), other: new Ledger(folder, () => noon) };
}

const holding = (ledger: Ledger, one: Hold) => ledger.decide('s', () => ({ verdict: 'held', hold: one }));

describe('the ledger', () => {
  test('reservations and spending of one process are visible to the others', async () => {
    const { ledger, other } = await setUp();
    await holding(ledger, hold('1'));
    await holding(ledger, hold('2'));
    expect(other.totals('s').today.held).toMatchObject([hold('1'), hold('2')]);
    ledger.spend(entry('1'));
    ledger.release('2');
    const { spent, held, lost } = other.totals('s').today;
    expect({ spent, held, lost }).toEqual({ spent: [{ type: 'spent', ...entry('1') }], held: [], lost: [] });
  });

  test('concurrent decisions are serialized: the second sees the reservation of the first', async () => {
    const { ledger, other } = await setUp();
    const room = 100;
    const ask = (of: Ledger, id: string) =>
      of.decide('s', ({ today: { held } }) => {
        const used = held.reduce((sum, { most }) => sum + most.tokens, 0);
        return used + 10 > room ? { verdict: false } : { verdict: true, hold: hold(id) };
      });
    const verdicts = await Promise.all(
      Array.from({ length: 30 }, (_, i) => ask(i % 2 ? ledger : other, `${i}`)),
    );
    expect(verdicts.filter(Boolean)).toHaveLength(10);
    expect(ledger.totals('s').today.held).toHaveLength(10);
  });

  test('a line torn by a crash does not spoil any other', async () => {
    const { folder, ledger, other } = await setUp();
    ledger.spend(entry('1'));
    await appendFile(path.join(folder, today), '{"type":"spent","id":"to');
    ledger.spend(entry('2'));
    expect(other.totals('s').today.spent.map(({ id }) => id)).toEqual(['1', '2']);
  });

  test('reservations of a dead process are released; its prompt may have been billed', async () => {
    const { folder, ledger } = await setUp();
    const child = spawn(process.execPath, ['-e', '0']);
    await once(child, 'exit');
    const dead = { ...thisProcess(), pid: child.pid ?? 0, started: '' };
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, today),
      `${JSON.stringify({ type: 'hold', process: dead, ...hold('1') })}\n`,
    );
    const { held, lost } = ledger.totals('s').today;
    expect(held).toEqual([]);
    expect(lost).toMatchObject([hold('1')]);
  });

  test('a call of another machine counts as running for an hour', async () => {
    const { folder } = await setUp();
    const far = { host: 'elsewhere.invalid', pid: 1, started: '' };
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, today),
      `${JSON.stringify({ type: 'hold', process: far, ...hold('1') })}\n`,
    );
    const at = (minutes: number) => new Ledger(folder, () => new Date(noon.getTime() + minutes * 60_000));
    expect(at(59).totals('s').today.held).toHaveLength(1);
    expect(at(61).totals('s').today.lost).toHaveLength(1);
  });

  test('days are removed that are older than 100 days, and than 100 recorded days: never by a clock that is far ahead', async () => {
    const { folder } = await setUp();
    await mkdir(folder, { recursive: true });
    const day = (n: number) => `${new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10)}.jsonl`;
    const line = (id: string) => `${JSON.stringify({ type: 'spent', ...entry(id) })}\n`;
    for (let n = 0; n < 120; n++) await writeFile(path.join(folder, day(n)), line(String(n)));
    const use = (at: Date) => new Ledger(folder, () => at).spend(entry('new'));

    for (const years of [10, 50, 3_000]) use(new Date(Date.UTC(2025 + years, 0, 1)));
    const after = new Ledger(folder, () => new Date(Date.UTC(2025, 3, 30))).totals('s').session.spent;
    // Three days of the future are recorded: as many old ones made room.
    expect(after.length).toBeGreaterThanOrEqual(100);
    expect(after.map(({ id }) => id)).toContain('119');

    use(new Date(Date.UTC(2025, 10, 1)));
    const left = (await readdir(folder)).sort();
    expect(left).not.toContain(day(0));
    expect(left).toContain(day(119));
  });

  test('each day has its file; earlier ones are found', async () => {
    const { folder, ledger } = await setUp();
    await mkdir(folder, { recursive: true });
    const days = { '2026-05-04': 'before', '2026-05-05': 'yesterday' };
    for (const [day, id] of Object.entries(days)) {
      const line = `${JSON.stringify({ type: 'spent', ...entry(id) })}\n`;
      await writeFile(path.join(folder, `${day}.jsonl`), line);
    }
    ledger.spend(entry('today'));
    expect(ledger.since(new Date(2026, 4, 5, 23)).spent.map(({ id }) => id)).toEqual(['yesterday', 'today']);
    expect(ledger.totals('s').today.spent.map(({ id }) => id)).toEqual(['today']);
    expect((await readdir(folder)).sort()).toEqual(['2026-05-04.jsonl', '2026-05-05.jsonl', today]);
  });

  test('a session is summed over all days, whatever the clock says; a day has the calls reserved on it', async () => {
    const { folder } = await setUp();
    let now = new Date(2026, 4, 6, 23, 59);
    const ledger = new Ledger(folder, () => now);
    const other = new Ledger(folder, () => now);
    await holding(ledger, hold('1'));
    await holding(ledger, hold('2'));
    ledger.spend({ ...entry('stranger'), session: 'another' });
    const idsOf = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);

    now = new Date(2026, 4, 7, 0, 1);
    expect(other.totals('s').today).toEqual({ spent: [], held: [], lost: [] });
    expect(idsOf(other.totals('s').session.held)).toEqual(['1', '2']);
    ledger.spend(entry('1'));
    ledger.release('2');
    ledger.spend(entry('3'));
    const midnight = other.totals('s');
    expect({ day: idsOf(midnight.today.spent), session: idsOf(midnight.session.spent) }).toEqual({
      day: ['3'],
      session: ['1', '3'],
    });
    expect(midnight.session.held).toEqual([]);

    now = new Date(2026, 4, 3);
    expect(idsOf(new Ledger(folder, () => now).totals('s').session.spent)).toEqual(['1', '3']);
    now = new Date(2026, 4, 6, 1);
    expect(idsOf(other.totals('s').today.spent)).toEqual(['stranger', '1']);
  });

  test('however reads and decisions overlap, each line counts once', async () => {
    const { ledger, other } = await setUp();
    const admit = (id: string) =>
      ledger.decide('s', ({ today: { spent, held } }) =>
        spent.length + held.length < 6 ? { verdict: true, hold: hold(id) } : { verdict: false },
      );
    const verdicts = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        other.totals('s');
        const looked = Promise.resolve().then(() => ledger.totals('s'));
        const admitted = await admit(`${i}`);
        if (admitted) ledger.spend(entry(`${i}`));
        await looked;
        return admitted;
      }),
    );
    expect(verdicts.filter(Boolean)).toHaveLength(6);
  });

  test('contains numbers, and no content', async () => {
    const { folder, ledger } = await setUp();
    ledger.spend(entry('1'));
    expect(JSON.parse(await readFile(path.join(folder, today), 'utf8'))).toEqual({
      type: 'spent',
      ...entry('1'),
    });
  });
});
