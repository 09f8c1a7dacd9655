import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { programOf } from '../../frontends/shared/this-program.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { parseArgs } from '../args.ts';
import { type Calendar, looksLikeCron, nextRuns, parseCron } from '../schedule/calendar.ts';
import { EXAMPLES, parseEnglish } from '../schedule/english.ts';
import { cronLine, type Job, systemdUnits, type Unit } from '../schedule/units.ts';
import { withContext } from './context.ts';

type ScheduleOptions = {
  print: string;
  cron?: boolean;
  systemd?: boolean;
  name?: string;
  log?: string;
  output?: string;
};

/** `aca schedule`: prints what cron or systemd needs to repeat a run. Nothing is installed. */
export function scheduleCommand(terminal: Terminal): Command {
  return withContext(new Command('schedule'), terminal)
    .description(
      'Print a crontab line or systemd units for a recurring run; other flags are passed to aca -p',
    )
    .argument('<when>', "when to run: 'every weekday at 9', or a cron expression such as '0 9 * * 1-5'")
    .requiredOption('-p, --print <task>', 'the task of each run')
    .option('--cron', 'print a crontab line (default)')
    .option('--systemd', 'print a systemd service and its timer')
    .option('--name <name>', 'name of the units and the log (default: made from the task)')
    .option('--log <file>', 'append output to this file (default: schedule-NAME.log in the data root)')
    .option('--output <folder>', 'with --systemd: write the units to this folder instead')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (when: string, options: ScheduleOptions, command: Command) => {
      const calendar = calendarOf(when);
      const flags = command.args.slice(1);
      const job = jobOf(options, flags, terminal);
      const { stdout, stderr } = terminal;
      if (options.systemd) {
        const units = systemdUnits(calendar, job);
        if (options.output === undefined) stdout.write(units.map(shownUnit).join('\n'));
        else await writeUnits(units, path.resolve(terminal.cwd, options.output));
      } else stdout.write(`${cronLine(calendar, job)}\n`);
      stderr.write(notes({ calendar, job, options, flags }));
    });
}

function calendarOf(when: string): Calendar {
  const text = when.trim();
  const parsed = looksLikeCron(text)
    ? parseCron(text)
    : (parseEnglish(text) ?? 'this time is not understood');
  const examples = `Examples: ${EXAMPLES.map((one) => `"${one}"`).join(', ')}, "0 9 * * 1-5".`;
  if (typeof parsed === 'string') throw new UserError(`Can't schedule "${text}": ${parsed}.`, examples);
  if (nextRuns(parsed, new Date(), 1).length === 0)
    throw new UserError(`Can't schedule "${text}": no such date exists.`, examples);
  return parsed;
}

function jobOf(options: ScheduleOptions, flags: readonly string[], terminal: Terminal): Job {
  const { print: task } = options;
  if (task.trim() === '') throw new UserError('The task is empty.', "Pass it with -p 'TASK'.");
  if (task.includes('\0')) throw new UserError('The task contains a NUL byte.', 'Remove it.');
  // After a list such as --add-dir the task would be taken for one of its values.
  const args = task.startsWith('-') ? ['-p', ...flags, '--', task] : ['-p', task, ...flags];
  const invocation = parseArgs(args, {
    out: (text) => terminal.stdout.write(text),
    err: (text) => terminal.stderr.write(text),
  });
  if (invocation.kind !== 'conversation' || invocation.words.join(' ') !== task)
    throw new UserError(
      `These arguments are not flags of aca -p: ${flags.join(' ')}`,
      'Quote the task as one argument of -p.',
    );
  const name = options.name ?? nameOf(task);
  if (!/^[\w@.-]+$/.test(name))
    throw new UserError(`"${name}" can't be the name of a unit.`, 'Use letters, digits, - and _.');
  return {
    name,
    command: [...programOf(terminal), ...args],
    folder: terminal.cwd,
    path: searchPath(terminal.env.PATH ?? ''),
    log: path.resolve(terminal.cwd, options.log ?? path.join(dataRoot(terminal.env), `schedule-${name}.log`)),
  };
}

function nameOf(task: string): string {
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `aca-${words.slice(0, 4).join('-').slice(0, 40) || 'run'}`;
}

/** Absolute folders only: others would depend on where the run starts. */
function searchPath(value: string): string {
  const folders = [path.dirname(process.execPath), ...value.split(path.delimiter).filter(path.isAbsolute)];
  return [...new Set([...folders, '/usr/local/bin', '/usr/bin', '/bin'])].join(path.delimiter);
}

function shownUnit({ file, text }: Unit): string {
  return `# ~/.config/systemd/user/${file}\n${text}`;
}

async function writeUnits(units: readonly Unit[], folder: string): Promise<void> {
  makeFolder(folder);
  for (const { file, text } of units) await writeFile(path.join(folder, file), text);
}

type Noted = { calendar: Calendar; job: Job; options: ScheduleOptions; flags: readonly string[] };

/** For the person: when it runs, how to install it, and what differs from a run in a terminal. */
function notes({ calendar, job, options, flags }: Noted): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const runs = nextRuns(calendar, new Date(), 3).map((at) => `  ${format.format(at)}`);
  const where = options.output ?? '~/.config/systemd/user';
  const install = options.systemd
    ? `Save the units in ${where}, then run: systemctl --user daemon-reload && systemctl --user enable --now ${job.name}.timer`
    : 'Add the line with: crontab -e';
  const asks = flags.some((flag) => /^--(mode|allow|permission-mode|dangerously)/.test(flag))
    ? []
    : [
        'Nobody can answer questions in a scheduled run. Add --mode accept-edits or --allow RULE if it changes files.',
      ];
  return `${[
    `Next runs (${zone}):`,
    ...runs,
    `Output goes to ${job.log}`,
    install,
    ...asks,
    'Keys in environment variables are not available there: store them with aca keys set PROVIDER.',
  ].join('\n')}\n`;
}
