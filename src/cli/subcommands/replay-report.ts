import { styleText } from 'node:util';
import type { Difference, ReplayReport } from '../../app/replay/report.ts';
import { counted } from '../../lib/text/counted.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';

type Comparison = NonNullable<ReplayReport['comparison']>;
type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** What is shown of the first difference, and how many of the others are named. */
const MOST_LINES = 40;
const MOST_OTHERS = 10;

/** The report for people. */
export async function reportText(report: ReplayReport, { color }: { color: boolean }): Promise<string> {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
  const { session, runs, calls, files, differences, fromJournal, ignored, notes } = report;
  const [first, ...others] = differences;
  const all = calls + fromJournal.length;
  const what = [counted(runs, 'run'), counted(all, 'call'), counted(files, 'changed file')].join(', ');
  const lines = [
    `Session ${session.slice(0, 8)}: ${what}.`,
    first
      ? paint('red', `${counted(differences.length, 'difference')}. The first: ${heading(first)}`)
      : report.complete
        ? paint('green', 'Everything is the same.')
        : paint('yellow', `The same as far as it was run again (${calls} of ${counted(all, 'call')}).`),
    ...(first ? await diffLines(first, paint) : []),
    ...(others.length > 0 ? ['Then:'] : []),
    ...others.slice(0, MOST_OTHERS).map((one) => `  ${heading(one)}`),
    ...(others.length > MOST_OTHERS ? [`  and ${others.length - MOST_OTHERS} more (--json lists all)`] : []),
    ...(fromJournal.length > 0 ? ['Answered from the journal, not run again:'] : []),
    ...fromJournal.map(({ call, because }) => `  ${visible(call)} (${because})`),
    ...Object.entries(ignored).map(([name, count]) => `Ignored ${name} in ${counted(count, 'result')}.`),
    ...notes.map((note) => paint('yellow', `Note: ${visible(note)}`)),
    ...(report.comparison ? comparisonLines(report.comparison) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function comparisonLines({ model, turns, actions, costUsd, stopped }: Comparison): string[] {
  const cost = costUsd === null ? 'for an unknown price' : `for $${costUsd.toFixed(4)}`;
  const act = actions.length === 0 ? 'the same calls each time' : `other calls in ${actions.length} of them`;
  const list = (calls: readonly string[]) => (calls.length === 0 ? 'no call' : calls.map(visible).join(', '));
  return [
    `${model} was asked for ${counted(turns, 'turn')} ${cost}: ${act}.`,
    ...actions.flatMap(({ turn, expected, actual }) => [
      `  turn ${turn}`,
      `  - ${list(expected)}`,
      `  + ${list(actual)}`,
    ]),
    ...(stopped === null ? [] : [`Stopped: ${visible(stopped)}`]),
  ];
}

function heading({ kind, about, run }: Difference): string {
  const what = `${kind === 'result' ? 'the result of ' : ''}${visible(about)}`;
  return run === null ? what : `${what} (run ${run})`;
}

/** Without control characters: a result may contain anything. */
async function diffLines({ expected, actual }: Difference, paint: Paint): Promise<string[]> {
  const [before = '', after = ''] = [expected, actual].map((text) => `${(text ?? '').trimEnd()}\n`);
  // Differs only at its end: then that must be seen.
  const { patch } = await (before === after
    ? diffOf('x', expected ?? '', actual ?? '')
    : diffOf('x', before, after));
  const [, , ...hunks] = patch.trimEnd().split('\n');
  const lines = ['--- journal', '+++ replay', ...hunks.slice(0, MOST_LINES)];
  const more = hunks.length - MOST_LINES;
  return [
    ...lines.map((line) => paint(styleOf(line), `  ${visible(line)}`)),
    ...(more > 0 ? [`  … ${counted(more, 'more line')} (--json has all)`] : []),
  ];
}

function styleOf(line: string): Style {
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('+') ? 'green' : 'reset';
}
