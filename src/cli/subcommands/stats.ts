import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { shortUsd } from '../../contract/limit.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { bar } from '../../lib/text/chart.ts';
import { grouped } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import { visible } from '../../lib/text/printable.ts';
import { Ledger } from '../../observability/spending/ledger.ts';
import { type Sum, type UsageStats, usageStats } from '../../observability/usage-stats.ts';
import { table, withContext } from './context.ts';

const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;
const BAR = 16;
const MOST_ROWS = 30;
const LONGEST_TITLE = 40;

const views = ['day', 'model', 'tool', 'session'] as const;
type View = (typeof views)[number];

type StatsFlags = { since: Date; by?: View; json?: boolean };

/** Reads the statistics recorded when calls and runs ended; opens no session. */
export function statsCommand(terminal: Terminal): Command {
  return withContext(new Command('stats'), terminal)
    .description('Show usage across all sessions: tokens, cost, tools, caches')
    .addOption(
      new Option('--since <when>', 'a date such as 2026-01-31, or a number of days such as 7d')
        .argParser(firstDay)
        .default(daysAgo(USUAL_DAYS), `${USUAL_DAYS}d`),
    )
    .addOption(new Option('--by <what>', 'show only this table, in full').choices(views))
    .option('--json', 'print JSON')
    .action(async ({ since, by, json }: StatsFlags) => {
      const settings = loadSettings({}, terminal);
      const stats = usageStats(new Ledger(path.join(settings.root, 'ledger')).since(since));
      const titles = () =>
        new Map(
          sessionStore(settings)
            .list()
            .map(({ id, title, firstPrompt }) => [id, title ?? firstPrompt]),
        );
      const text = json
        ? `${JSON.stringify({ since: since.toISOString(), ...stats })}\n`
        : textOf(stats, { by, titles });
      terminal.stdout.write(text);
    });
}

type Shown = { by: View | undefined; titles(): ReadonlyMap<string, string> };

function textOf(stats: UsageStats, { by, titles }: Shown): string {
  const { total, days, models, sessions, tools, caches } = stats;
  if (total.calls + total.runs === 0) return 'No usage in this period.\n';
  const most = by === undefined ? MOST_ROWS : Number.POSITIVE_INFINITY;
  const tables: Record<View, () => string> = {
    day: () => sumTable('By day', days.slice(-most)),
    model: () => sumTable('By model', models.slice(0, most)),
    tool: () => toolTable(tools.slice(0, most)),
    session: () => {
      const named = titles();
      const titleOf = (id: string) => visible(named.get(id) ?? '').slice(0, LONGEST_TITLE);
      return sumTable(
        'By session',
        sessions
          .slice(0, most)
          .map((row) => ({ ...row, name: `${row.name.slice(0, 8)} ${titleOf(row.name)}`.trim() })),
      );
    },
  };
  if (by !== undefined) return tables[by]();
  return [totalText(stats), tables.day(), tables.model(), tables.tool(), cacheTable(caches)]
    .filter(Boolean)
    .join('\n');
}

function totalText({ total, requests }: UsageStats): string {
  const { usage } = total;
  const asked = requests.failed === 0 ? '' : `, ${grouped(requests.failed)} requests failed`;
  return table([
    [
      'sessions',
      `${grouped(total.sessions)}; ${grouped(total.runs)} runs, ${grouped(total.turns)} turns${asked}`,
    ],
    ['tokens', `${grouped(tokensIn(total))} in, ${grouped(usage.outputTokens)} out`],
    ['prompt cache', `${percent(usage.cacheReadTokens, tokensIn(total))} of the tokens in`],
    ['cost', costText(total)],
    ['time', `${elapsed(total.ms)}, of which models ${elapsed(requests.ms)}`],
  ]);
}

function sumTable(title: string, rows: readonly (Sum & { name: string })[]): string {
  const isPriced = rows.some(({ usd }) => usd > 0);
  const weight = (row: Sum) => (isPriced ? row.usd : tokensIn(row) + row.usage.outputTokens);
  const most = Math.max(...rows.map(weight), 0);
  const cells = rows.map((row) => [
    visible(row.name),
    bar(most === 0 ? 0 : weight(row) / most, BAR),
    costText(row),
    `${grouped(tokensIn(row))} in`,
    `${percent(row.usage.cacheReadTokens, tokensIn(row))} cached`,
    `${grouped(row.usage.outputTokens)} out`,
    `${grouped(row.calls)} calls`,
  ]);
  return `${title}\n${rows.length === 0 ? 'nothing\n' : table(cells)}`;
}

function toolTable(rows: UsageStats['tools']): string {
  const most = Math.max(...rows.map(({ calls }) => calls), 0);
  const cells = rows.map(({ name, calls, failed, ms }) => [
    visible(name),
    bar(calls / most, BAR),
    `${grouped(calls)} calls`,
    `${grouped(failed)} failed`,
    `${grouped(ms / calls)} ms each`,
  ]);
  return `Tools\n${rows.length === 0 ? 'nothing\n' : table(cells)}`;
}

function cacheTable(rows: UsageStats['caches']): string {
  if (rows.length === 0) return '';
  const cells = rows.map(({ name, hits, misses }) => [
    name,
    bar(hits / (hits + misses), BAR),
    `${percent(hits, hits + misses)} of ${grouped(hits + misses)}`,
  ]);
  return `Caches\n${table(cells)}`;
}

function tokensIn({ usage }: Sum): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function costText({ usd, unpriced, calls }: Sum): string {
  if (unpriced === calls) return 'price unknown';
  return unpriced === 0 ? shortUsd(usd) : `${shortUsd(usd)} and ${grouped(unpriced)} calls of unknown price`;
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((100 * part) / whole)}%`;
}

function firstDay(value: string): Date {
  const days = /^(\d{1,5})d$/.exec(value)?.[1];
  if (days !== undefined) return daysAgo(Number(days));
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(`${value}T00:00:00`) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Use a date such as 2026-01-31, or a number of days such as 7d.');
  return date;
}

/** 1 is today. */
function daysAgo(days: number): Date {
  return new Date(Date.now() - Math.max(0, days - 1) * DAY_MS);
}
