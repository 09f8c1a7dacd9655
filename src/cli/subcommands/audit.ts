import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { localTime } from '../../lib/text/local-time.ts';
import { visible } from '../../lib/text/printable.ts';
import { type AccessRecord, readAccesses } from '../../observability/audit/access-log.ts';
import type { Link } from '../../observability/audit/chained-log.ts';
import { type AuditEntry, type AuditQuery, readAudit } from '../../observability/audit/read-audit.ts';
import { type Verified, verifyAudit } from '../../observability/audit/verify-audit.ts';
import { positiveInteger } from '../args.ts';
import type { Ended } from './context.ts';
import { table, withContext } from './context.ts';

const LONGEST_TARGET = 60;

type AuditFlags = AuditQuery & { json?: boolean };

export function auditCommand(terminal: Terminal, ended: Ended = { code: 0 }): Command {
  const fileOf = () => path.join(loadSettings({}, terminal).root, 'audit.jsonl');
  const command = withContext(new Command('audit'), terminal).description(
    'Show which tool calls were allowed and denied',
  );
  command
    .command('list', { isDefault: true })
    .description('Show which tool calls were allowed and denied, and their outcome; newest last')
    .option('--tail <n>', 'how many calls to show', positiveInteger, 50)
    .option('--denied', 'show only denied calls')
    .option('--session <id>', 'show only one session, by id or id prefix')
    .option('--json', 'print JSON lines')
    .action(async ({ json, ...query }: AuditFlags) => {
      const entries = await readAudit(fileOf(), query);
      if (json) for (const entry of entries) terminal.stdout.write(`${JSON.stringify(entry)}\n`);
      else if (entries.length > 0) terminal.stdout.write(table(entries.map(rowOf)));
      else {
        const isFiltered = query.denied === true || query.session !== undefined;
        const isEmpty = !isFiltered || (await readAudit(fileOf(), { tail: 1 })).length === 0;
        terminal.stdout.write(isEmpty ? 'The audit log is empty.\n' : 'No matching calls.\n');
      }
    });
  command
    .command('access')
    .description(
      'Show who used `aca serve`: sign-ins, connections, approvals and refused requests; newest last',
    )
    .option('--tail <n>', 'how many entries to show', positiveInteger, 50)
    .option('--session <id>', 'show only one session, by id or id prefix')
    .option('--json', 'print JSON lines')
    .action(async ({ json, ...query }: Omit<AuditFlags, 'denied'>) => {
      const entries = await readAccesses(fileOf(), query);
      if (json) for (const entry of entries) terminal.stdout.write(`${JSON.stringify(entry)}\n`);
      else if (entries.length > 0) terminal.stdout.write(table(entries.map(accessRow)));
      else {
        const isEmpty =
          query.session === undefined || (await readAccesses(fileOf(), { tail: 1 })).length === 0;
        terminal.stdout.write(isEmpty ? 'Nobody used the server yet.\n' : 'No matching entries.\n');
      }
    });
  command
    .command('verify')
    .description('Check that the audit log was not tampered with; exits with code 1 if it was')
    .option(
      '--anchor <number:hash>',
      'an entry you saved elsewhere, which the log must still contain',
      anchorOf,
    )
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
  if (!last) return [...notes, 'The audit log has no verifiable entries yet.'];
  return [
    ...notes,
    `Intact: ${entries} ${entries === 1 ? 'entry' : 'entries'}, up to number ${last.seq}.`,
    `Head: ${last.seq}:${last.hash}`,
    'Save the head outside this machine and check it with --anchor: anyone who can write to the log could replace all of it.',
  ];
}

function anchorOf(value: string): Link {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(value) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('Use the head that `aca audit verify` prints: NUMBER:HASH.');
  return { seq: Number(seq), hash };
}

function rowOf({ time, session, tool, verdict, accesses, by, outcome }: AuditEntry): string[] {
  const target = visible(accesses.map((access) => access.target).join(', ')).replaceAll('\n', ' ');
  return [
    localTime(time),
    session.slice(0, 8),
    verdict === 'allow' ? 'allowed' : 'refused',
    tool,
    target.length > LONGEST_TARGET ? `${target.slice(0, LONGEST_TARGET - 1)}…` : target,
    visible(by),
    endingOf(outcome),
  ];
}

function accessRow({ time, event, by, address = '', session = '', detail = '' }: AccessRecord): string[] {
  const who = by ? `${by.name} (${by.role})` : '';
  const cells = [localTime(time), event, who, address, session.slice(0, 8), detail];
  return cells.map((cell) => visible(cell).replaceAll('\n', ' '));
}

function endingOf(outcome: AuditEntry['outcome']): string {
  if (!outcome) return '';
  const { success, exitCode, durationMs } = outcome;
  const how = typeof exitCode === 'number' ? `exit ${exitCode}` : success ? 'done' : 'failed';
  return `${how}, ${durationMs} ms`;
}
