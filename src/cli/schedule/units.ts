import { shellWord, singleQuoted } from '../../lib/text/shell-quote.ts';
import { type Calendar, toCron, toOnCalendar } from './calendar.ts';

/** A run without a terminal: what, where, and with which programs. */
export type Job = {
  name: string;
  /** The program and its arguments. */
  command: readonly string[];
  folder: string;
  /** The search path for programs: schedulers have a minimal one. */
  path: string;
  log: string;
};

/** One line for `crontab`. Cron takes an unescaped percent sign for a newline. */
export function cronLine(calendar: Calendar, { command, folder, path, log }: Job): string {
  const words = command.map(oneLineWord).join(' ');
  const line = `cd ${oneLineWord(folder)} && PATH=${oneLineWord(path)} ${words} >> ${oneLineWord(log)} 2>&1`;
  return `${toCron(calendar)} ${line.replaceAll('%', '\\%')}`;
}

/** Quoted so that it stays on one line. */
function oneLineWord(text: string): string {
  if (!/[\n\r]/.test(text)) return shellWord(text);
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"$(printf %b ${singleQuoted(escaped)})"`;
}

export type Unit = { file: string; text: string };

/** A oneshot service, and the timer that starts it. */
export function systemdUnits(calendar: Calendar, job: Job): Unit[] {
  const { name, command, folder, path, log } = job;
  const description = `Scheduled aca run: ${name}`;
  return [
    {
      file: `${name}.service`,
      text: `[Unit]
Description=${specifiers(description)}

[Service]
Type=oneshot
WorkingDirectory=${specifiers(folder)}
Environment=${unitWord(`PATH=${path}`)}
ExecStart=${commandLine(command)}
StandardOutput=append:${specifiers(log)}
StandardError=append:${specifiers(log)}
`,
    },
    {
      file: `${name}.timer`,
      text: `[Unit]
Description=${specifiers(description)}

[Timer]
${toOnCalendar(calendar)
  .map((expression) => `OnCalendar=${expression}\n`)
  .join('')}Persistent=true

[Install]
WantedBy=timers.target
`,
    },
  ];
}

export type Service = {
  description: string;
  command: readonly string[];
  folder: string;
  variables: Readonly<Record<string, string>>;
};

/** A service that runs all the time, restarted when it fails. At its end only it gets a signal, so that it can end the rest. */
export function serviceUnit({ description, command, folder, variables }: Service): string {
  const environment = Object.entries(variables).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`,
  );
  return `[Unit]
Description=${specifiers(description)}

[Service]
WorkingDirectory=${specifiers(folder)}
${environment.join('')}ExecStart=${commandLine(command)}
Restart=on-failure
KillMode=mixed
SuccessExitStatus=143

[Install]
WantedBy=default.target
`;
}

function commandLine(command: readonly string[]): string {
  return command.map((word) => unitWord(word).replaceAll('$', '$$$$')).join(' ');
}

/** Quoted for a unit file. */
function unitWord(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return specifiers(/^[\w@+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`);
}

function specifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
