import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type AuditEntry, type AuditQuery, readAudit } from '../../observability/read-audit.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';
import { visible } from '../visible.ts';
import { table, withContext } from './context.ts';

const LONGEST_TARGET = 60;

type AuditFlags = AuditQuery & { json?: boolean };

export function auditCommand(terminal: Terminal): Command {
  return withContext(new Command('audit'), terminal)
    .description('Show what was allowed and refused, and how it ended; the latest last')
    .option('--tail <n>', 'how many calls', wholeNumber, 50)
    .option('--denied', 'only what was refused')
    .option('--session <id>', 'only of one session, by id or its first characters')
    .option('--json', 'print JSON lines')
    .action(async ({ json, ...query }: AuditFlags) => {
      const { root } = loadSettings({}, terminal);
      const entries = await readAudit(path.join(root, 'audit.jsonl'), query);
      if (json) for (const entry of entries) terminal.stdout.write(`${JSON.stringify(entry)}\n`);
      else
        terminal.stdout.write(entries.length > 0 ? table(entries.map(rowOf)) : 'Nothing was judged yet.\n');
    });
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
    throw new InvalidArgumentError('It must be a whole number above zero.');
  return number;
}
