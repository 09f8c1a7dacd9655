import { type ChildProcess, spawn } from 'node:child_process';
import { MARK_DESCRIPTOR, type Mark } from './process-table.ts';

/**
 * Ends commands if this process dies without doing so, even by kill -9: a small shell that waits for the end
 * of its input. It receives groups to watch (+) and to forget (-). The mark is passed at its start: without
 * one it would match every process. There is none on Windows, where a killed assistant leaves its commands
 * running.
 */
export type Watchdog = { watch(group: number): void; forget(group: number): void; close(): Promise<void> };

/** In plain sh. Only Linux has /proc; elsewhere only the groups can be found. */
const script = `
mark=$1
case $mark in ?*=????????*) ;; *) exit 1 ;; esac
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
living() { for group in $groups; do kill -s 0 -- "-$group" && echo "-$group"; done
  for file in $(grep -ls -e "$mark" /proc/[0-9]*/environ); do file=\${file%/environ}; echo "\${file#/proc/}"; done
  ls -l /proc/[0-9]*/fd/${MARK_DESCRIPTOR} 2>/dev/null | sed -n "s,.* /proc/\\([0-9]*\\)/fd/${MARK_DESCRIPTOR} -> .*\${mark#*=}.*,\\1,p"; }
end() { for one in $(living); do kill -s "$1" -- "$one"; done; }
end TERM
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ -z "$(living)" ] && exit
  sleep 0.1 || sleep 1
done
end KILL
sleep 0.1
end KILL
`;

export function createWatchdog({ name, prefix }: Mark, path: string | undefined): Watchdog {
  let shell: ChildProcess | undefined;

  function begin(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script, 'sh', `${name}=${prefix}`], {
      cwd: '/',
      // Without the user's environment: the watchdog must not look like a command, nor read a startup script.
      // System programs come first: a project in PATH may have some of the same names.
      env: { PATH: ['/usr/bin:/bin', path].filter(Boolean).join(':') },
      // Out of the terminal's group, or an interrupt would end the watchdog first.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without a watchdog commands are still ended in all cases but one; a failed write to a dead one is
    // harmless, too.
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.unref();
    if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
    return child;
  }

  return {
    watch(group) {
      if (process.platform === 'win32') return;
      shell ??= begin();
      shell.stdin?.write(`+ ${group}\n`);
    },
    forget(group) {
      shell?.stdin?.write(`- ${group}\n`);
    },
    async close() {
      const child = shell;
      shell = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.ref();
      child.stdin?.end();
      await gone;
    },
  };
}
