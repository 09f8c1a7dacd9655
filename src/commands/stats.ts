import type { Count, SessionFigures, SlashCommand } from '../contract/command.ts';
import { shortUsd } from '../contract/limit.ts';
import { addUsage, noUsage } from '../contract/message.ts';
import { bar, sparkline } from '../lib/text/chart.ts';
import { counted, grouped } from '../lib/text/counted.ts';
import { elapsed } from '../lib/text/elapsed.ts';

/** Fits a narrow window. */
const WIDTH = 40;
const LABEL = 8;
const MOST_TOOLS = 12;

export const stats: SlashCommand = {
  name: 'stats',
  forGuests: true,
  description: 'Show session statistics: tokens, cost, tools, caches',
  async execute(_args, { figures, print }) {
    if (!figures) return print('No statistics available.');
    print(drawn(await figures()));
  },
};

function drawn({ runs, turns, ms, requests, answered, tools, caches }: SessionFigures): string {
  if (requests.length + tools.length + caches.length === 0) return 'No prompts yet.';
  const usage = requests.reduce((sum, one) => addUsage(sum, one.usage), noUsage);
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const sent = requests.map(
    (one) => one.usage.inputTokens + one.usage.cacheReadTokens + one.usage.cacheWriteTokens,
  );
  return [
    ...row('Session', [counted(runs, 'run'), counted(turns, 'turn'), elapsed(ms)]),
    ...row('Cost', [costWords(requests)]),
    ...row('Tokens', [`${grouped(read)} in`, `${grouped(usage.outputTokens)} out`]),
    ...(read === 0 ? [] : [`${'Cached'.padEnd(LABEL)}${shareBar(usage.cacheReadTokens, read)}`]),
    ...(requests.length < 2 ? [] : [`${'Sent'.padEnd(LABEL)}${sparkline(sent, WIDTH - LABEL)}`]),
    ...(answered.calls === 0 ? [] : row('Models', answerWords(answered))),
    ...toolLines(tools),
    ...(caches.length === 0 ? [] : ['', 'Caches']),
    ...caches.map(({ name, hits, misses }) => `${short(name, 12)} ${shareBar(hits, hits + misses)}`),
  ].join('\n');
}

/** A label and its values, on as many lines as needed. */
function row(label: string, parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last}, ${part}`;
    if (last !== undefined && longer.length < WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${(lines.length === 0 ? label : '').padEnd(LABEL)}${part}`);
  }
  return lines;
}

function costWords(requests: SessionFigures['requests']): string {
  const priced = requests.filter(({ usd }) => usd !== null);
  if (priced.length === 0 && requests.length > 0) return 'price unknown';
  const sum = shortUsd(priced.reduce((total, { usd }) => total + (usd ?? 0), 0));
  return priced.length === requests.length ? sum : `${sum}, some unpriced`;
}

function answerWords({ calls, failed, ms }: Count): string[] {
  return [
    counted(calls, 'request'),
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    `${each({ calls, ms })} each`,
  ];
}

function toolLines(tools: SessionFigures['tools']): string[] {
  if (tools.length === 0) return [];
  const most = Math.max(...tools.map(({ calls }) => calls));
  const shown = tools.slice(0, MOST_TOOLS);
  const line = (name: string, rest: readonly [string, string, string, string]) =>
    [short(name, 11), rest[0].padEnd(6), rest[1].padStart(6), rest[2].padStart(7), rest[3].padStart(10)].join(
      '',
    );
  return [
    '',
    line('Tools', ['', 'calls', 'failed', 'each']),
    ...shown.map(({ name, calls, failed, ms }) =>
      line(name, [bar(calls / most, 6), grouped(calls), grouped(failed), each({ calls, ms })]),
    ),
    ...(tools.length > shown.length ? [`and ${counted(tools.length - shown.length, 'other')}`] : []),
  ];
}

function shareBar(part: number, whole: number): string {
  const percent = Math.floor((100 * part) / Math.max(1, whole));
  return `${bar(part / Math.max(1, whole), 8)} ${percent}% of ${grouped(whole)}`;
}

function each({ calls, ms }: Pick<Count, 'calls' | 'ms'>): string {
  const one = ms / Math.max(1, calls);
  return one < 1000 ? `${Math.round(one)} ms` : elapsed(one);
}

/** Followed by a space, so that columns stay separate. */
function short(name: string, width: number): string {
  return `${name.length < width ? name : `${name.slice(0, width - 2)}…`} `.padEnd(width).slice(0, width);
}
