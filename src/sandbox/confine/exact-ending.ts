import { constants } from 'node:os';
import type { Ending } from '../shell/follow-command.ts';
import type { ShellProgram } from '../shell/shell-program.ts';
import type { Launcher } from './launch.ts';

/** Printed before the command line of each process that still runs when the command ends. */
export const LEFT_RUNNING = 'left running: ';
export const MAX_LEFT_NAMED = 5;

/**
 * Bubblewrap reports a signal as 128 plus its number, which may also be an exit code. So a shell of ours runs
 * between the two: under job control bash reports on stderr which of both it was. The command's own stderr is
 * descriptor 3; others, inherited from our parent, may lead out of the sandbox and are closed. A TERM to all
 * processes inside must not end this shell before the command, nor interrupt its wait: a trap that runs just
 * as the command ends makes bash lose the exit status. Ignored signals would be inherited by the command, so
 * traps are set first, which are not inherited. A plain wait also returns when the command is stopped, hence
 * the loop, and the last wait, which returns the status once more; `wait -f`, made for that, occasionally
 * misses the end and waits forever. Processes still running then end with the sandbox, so they are listed on
 * exit. The process limit is set in here because the kernel counts processes per user namespace: outside, it
 * would count all of the user's processes.
 */
const script = `ulimit -u "$2" 2>/dev/null
for f in /proc/$$/fd/*; do f=\${f##*/}; [ "$f" -gt 3 ] && [ "$f" -lt 255 ] && eval "exec $f>&-"; done
set -m; trap : HUP INT TERM USR1 USR2
"$0" -c "$1" 2>&3 3>&- &
trap '' HUP INT TERM USR1 USR2
LC_ALL=C
while wait "$!"; kill -0 "$!" 2>/dev/null; do sleep 0.05; done
wait "$!"; code=$?; left=0
for p in /proc/[0-9]*; do
  p=\${p##*/}; args=()
  [ "$p" -le 1 ] || [ "$p" = $$ ] || mapfile -d '' -t args <"/proc/$p/cmdline"
  line=\${args[*]}; line=\${line//[[:cntrl:]]/ }
  [ -n "$line" ] && [ $((left += 1)) -le ${MAX_LEFT_NAMED} ] && printf '${LEFT_RUNNING}%.100s\\n' "$line" >&2
done
exit "$code"`;

/** Without job control, as in a plain sh, the shell's exit status is used unchanged. */
const plainScript = 'exec "$0" -c "$1" 2>&3 3>&-';

export function reportsExit({ name }: ShellProgram): boolean {
  return name === 'bash';
}

export type InsideShell = { shell: ShellProgram; maxProcesses: number };

export function withExactEnding(command: string, { shell, maxProcesses }: InsideShell): string[] {
  const { file } = shell;
  return reportsExit(shell)
    ? [file, '--norc', '--noprofile', '-c', script, file, command, String(maxProcesses)]
    : [file, '-c', plainScript, file, command];
}

/** What the launcher's exit code and messages mean for the command. */
export function endingOf({ code, signal }: Ending, words: string, { reportsExit }: Launcher): Ending {
  const failure = /^bwrap: (.*)/m.exec(words)?.[1];
  if (failure !== undefined) {
    return { code, signal, note: `[Could not set up the sandbox: ${failure}]\n` };
  }
  const name = code === null || code <= 128 ? undefined : signalOf(code - 128);
  const exited = new RegExp(`^\\[1\\]\\S*\\s+Exit ${code}\\s`, 'm').test(words);
  // If a message was expected and is missing, the shell in between got the signal itself, before it started.
  const isUnreported = words.trim() === '' && !reportsExit;
  if (name !== undefined && !exited && !isUnreported) return { code: null, signal: name };
  const note = leftRunningNote(words);
  return { code, signal, ...(note !== null && { note }) };
}

/**
 * A note about processes that ended with the sandbox, for the reader of the output. Not needed if the command
 * was killed.
 */
function leftRunningNote(words: string): string | null {
  const left = words.split('\n').filter((line) => line.startsWith(LEFT_RUNNING));
  if (left.length === 0) return null;
  const names = left.map((line) => line.slice(LEFT_RUNNING.length)).join('; ');
  return `[Still running when the command ended, so stopped: ${names}. Use run_in_background for a process that must keep running.]\n`;
}

function signalOf(number: number): NodeJS.Signals | undefined {
  const found = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  // The runtime's table has exactly these names.
  return found as NodeJS.Signals | undefined;
}
