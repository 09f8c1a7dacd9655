import { Command } from 'commander';
import type { Difference, ReplayReport } from '../../app/replay/report.ts';
import { loadSettings } from '../../app/settings.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { counted } from '../../lib/text/counted.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { visible } from '../../lib/text/printable.ts';
import { type Ended, withContext } from './context.ts';

type Flags = { json?: boolean; unsandboxed?: boolean };

/** Runs a session again and compares. */
export function replayCommand(terminal: Terminal, ended: Ended): Command {
  return withContext(new Command('replay'), terminal)
    .description('Run a session again without its model, in a copy of its folder, and compare what happens')
    .argument('<session>', 'session id, id prefix or title')
    .option('--unsandboxed', 'run commands even if no sandbox is available')
    .option('--json', 'print JSON')
    .action(async (wanted: string, { json, unsandboxed = false }: Flags) => {
      const settings = loadSettings({}, terminal);
      const stop = new AbortController();
      terminal.onSignal('SIGINT', () => stop.abort());
      const { replaySession } = await import('../../app/replay/replay.ts');
      const place = { settings, host: terminal };
      const report = await replaySession(wanted, { unsandboxed, signal: stop.signal }, place);
      terminal.stdout.write(json ? `${JSON.stringify(report)}\n` : await reportText(report));
      if (stop.signal.aborted) ended.code = exitCodes.interrupted.code;
      else if (!report.same) ended.code = exitCodes.error.code;
    });
}

async function reportText(report: ReplayReport): Promise<string> {
  const { session, runs, calls, files, differences, fromJournal, ignored, notes } = report;
  const [first] = differences;
  const what = [counted(runs, 'run'), counted(calls, 'call'), counted(files, 'changed file')].join(', ');
  const lines = [
    `Session ${session.slice(0, 8)}: ${what}.`,
    first
      ? `${counted(differences.length, 'difference')}. The first: ${heading(first)}`
      : 'Everything is the same.',
    ...(first ? [await diffText(first)] : []),
    ...(fromJournal.length > 0 ? ['Answered from the journal, not run again:'] : []),
    ...fromJournal.map(({ call, because }) => `  ${visible(call)} (${because})`),
    ...Object.entries(ignored).map(([name, count]) => `Ignored ${name} in ${counted(count, 'result')}.`),
    ...notes.map((note) => `Note: ${visible(note)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function heading({ kind, about }: Difference): string {
  return `${kind === 'result' ? 'the result of ' : ''}${visible(about)}`;
}

/** Without control characters: a result may contain anything. */
async function diffText({ expected, actual }: Difference): Promise<string> {
  const { patch } = await diffOf('x', expected ?? '', actual ?? '');
  const [, , ...hunks] = patch.trimEnd().split('\n');
  const lines = ['--- journal', '+++ replay', ...hunks];
  return lines.map((line) => `  ${visible(line)}`).join('\n');
}
