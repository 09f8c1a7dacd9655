import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import type { Link } from '../../observability/audit/chained-log.ts';
import { type AuditEntry, type AuditQuery, readAudit } from '../../observability/audit/read-audit.ts';
import { type Verified, verifyAudit } from '../../observability/audit/verify-audit.ts';
import type { Ended } from './context.ts';
import { table, withContext } from './context.ts';

const LONGEST_TARGET = 60;

type AuditFlags = AuditQuery & { json?: boolean };

export function auditCommand(terminal: Terminal, ended: Ended = { code: 0 }): Command {
  const fileOf = () => path.join(loadSettings({}, terminal).root, 'audit.jsonl');
  const command = withContext(new Command('audit'), terminal)
    .description('Show what was allowed and refused, and how it ended; the latest last')
    .option('--tail <n>', 'how many calls', wholeNumber, 50)
    .option('--denied', 'only what was refused')
    .option('--session <id>', 'only of one session, by id or its first characters')
    .option('--json', 'print JSON lines')
    .action(async ({ json, ...query }: AuditFlags) => {
      const entries = await readAudit(fileOf(), query);
      if (json) for (const entry of entries) terminal.stdout.write(`${JSON.stringify(entry)}\n`);
      else
        terminal.stdout.write(entries.length > 0 ? table(entries.map(rowOf)) : 'Nothing was judged yet.\n');
    });
  command
    .command('verify')
    .description(
      'Check that no entry was changed, removed or added since it was written; exit code 1 if one was',
    )
    .option('--anchor <number:hash>', 'an entry noted elsewhere, which must still be there', anchorOf)
    .action(({ anchor }: { anchor?: Link }) => {
      const { broken, ...verified } = verifyAudit(fileOf(), anchor);
      ended.code = broken ? exitCodes.error.code : exitCodes.done.code;
      const lines = broken ? [...verified.notes, brokenLine(broken)] : intactLines(verified);
      terminal.stdout.write(`${lines.map(visible).join('\n')}\n`);
    });
  return command;
}

function brokenLine({ file, line, because }: NonNullable<Verified['broken']>): string {
  return `BROKEN  ${file}${line === undefined ? '' : `:${line}`}: ${because}`;
}

/** Only the head reveals a rewritten log, if it is stored where the writer of the log has no access. */
function intactLines({ entries, last, notes }: Omit<Verified, 'broken'>): string[] {
  if (!last) return [...notes, 'There is no chained entry yet.'];
  return [
    ...notes,
    `Intact: ${entries} ${entries === 1 ? 'entry' : 'entries'}, up to number ${last.seq}.`,
    `Head: ${last.seq}:${last.hash}`,
    'Keep the head outside this machine, and check with --anchor: whoever can write the log could write all of it anew.',
  ];
}

function anchorOf(value: string): Link {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(value) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('It must be what `aca audit verify` prints as the head: NUMBER:HASH.');
  return { seq: Number(seq), hash };
}

function rowOf({ time, session, tool, verdict, accesses, by, outcome }: AuditEntry): string[] {
  const target = visible(accesses.map((access) => access.target).join(', ')).replaceAll('\n', ' ');
  return [
    time.slice(0, 19).replace('T', ' '),
    session.slice(0, 8),
    verdict === 'allow' ? 'allowed' : 'refused',
    tool,
    target.length > LONGEST_TARGET ? `${target.slice(0, LONGEST_TARGET - 1)}…` : target,
    visible(by),
    endingOf(outcome),
  ];
}

function endingOf(outcome: AuditEntry['outcome']): string {
  if (!outcome) return '';
  const { success, exitCode, durationMs } = outcome;
  const how = typeof exitCode === 'number' ? `exit ${exitCode}` : success ? 'done' : 'failed';
  return `${how}, ${durationMs} ms`;
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('Use a whole number above zero.');
  return number;
}
