/** A result of the sandbox's self-test: `detail` is what was tested, or what was not blocked. */
export type SandboxFinding = { name: string; ok: boolean; detail: string };

export type SelfTestOptions = {
  /** Folders in which a command must not be able to create anything. */
  closedFolders: readonly string[];
  /** Whether the sandbox was given a seccomp filter. */
  filtered: boolean;
};

/**
 * Runs inside, in any POSIX shell. It opens files for writing but never writes; a folder it could create is
 * removed again. Each result is a line on stdout; the first failure is the last line on stderr.
 */
const script = `
trouble=
report() {
  printf '%s\\t%s\\t%s\\n' "$1" "$2" "$3"
  [ "$2" = ok ] || trouble=\${trouble:-$3}
}
opened=
for f in /proc/* /proc/irq/*/* /proc/pressure/* /proc/sys/*/* /proc/sys/*/*/* /proc/sys/*/*/*/* /sys/kernel/* /sys/kernel/*/* /sys/power/* /sys/fs/cgroup/*; do
  [ -f "$f" ] || continue
  if { true >>"$f"; } 2>/dev/null; then opened=$f; break; fi
done
if [ -n "$opened" ]; then report 'kernel settings' bad "a command could write to $opened"
else report 'kernel settings' ok "commands cannot change them"; fi

found=
for f in /dev/* /dev/*/*; do
  case $f in /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/tty|/dev/console|/dev/ptmx|/dev/pts/*) continue ;; esac
  if [ -b "$f" ] || { [ -c "$f" ] && [ ! -L "$f" ]; }; then found=$f; break; fi
done
if [ -n "$found" ]; then report devices bad "a command could reach the device $found"
else report devices ok 'only the standard ones'; fi

held=; locked=; filter=
while read -r name value; do
  case $name in
    Cap*) case $value in *[!0]*) held="$name $value" ;; esac ;;
    NoNewPrivs:) locked=$value ;;
    Seccomp:) filter=$value ;;
  esac
done </proc/self/status
if [ -n "$held" ]; then report capabilities bad "a command has capabilities ($held)"
elif [ "$locked" != 1 ]; then report capabilities bad 'a command could gain privileges (no_new_privs is not set)'
else report capabilities ok 'none, and none can be gained'; fi

if [ "$1" = filtered ] && [ "$filter" != 2 ]; then report 'system calls' bad 'system calls are not filtered'
elif command -v unshare >/dev/null 2>&1 && unshare -U true 2>/dev/null; then
  if [ "$1" = filtered ]; then report 'system calls' bad 'a command could create user namespaces'
  else report 'system calls' ok 'not filtered: no filter for this processor'; fi
else report 'system calls' ok 'filtered'; fi
shift

made=
for f in "$@"; do
  if mkdir "$f/.sandbox-test-$$" 2>/dev/null; then rmdir "$f/.sandbox-test-$$"; made=$f; fi
done
if [ -n "$made" ]; then report 'other files' bad "a command could write to $made"
else report 'other files' ok 'read-only outside the project'; fi

links=
while read -r name rest; do
  case $name in lo:*|Inter-*|face*) ;; *) links=$name ;; esac
done </proc/self/net/dev
if [ -n "$links" ]; then report network bad "a command could use the network ($links)"
else report network ok 'unreachable unless the level allows it'; fi

set -- /proc/[0-9]*
if [ $# -gt 8 ]; then report processes bad 'a command could see other processes'
else report processes ok 'only its own'; fi

[ -z "$trouble" ] && exit 0
printf '%s\\n' "$trouble" >&2
exit 1
`;

export function selfTestCommand({ closedFolders, filtered }: SelfTestOptions): string[] {
  return ['/bin/sh', '-c', script, 'sh', filtered ? 'filtered' : 'plain', ...closedFolders];
}

export function findingsIn(output: string): SandboxFinding[] {
  return output.split('\n').flatMap((line) => {
    const [name, state, detail] = line.split('\t');
    return name && state && detail !== undefined ? [{ name, ok: state === 'ok', detail }] : [];
  });
}
