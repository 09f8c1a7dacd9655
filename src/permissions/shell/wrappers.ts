import type { SimpleCommand, Word } from './shell-line.ts';

/** Flags that take the next word, and the number of operands before the wrapped command. */
type Wrapper = { values?: string[]; operands?: number };

/** Programs that run the command they are given. */
const WRAPPERS = new Map<string, Wrapper>(
  Object.entries<Wrapper>({
    builtin: {},
    busybox: {},
    catchsegv: {},
    caffeinate: { values: ['-t', '-w'] },
    chroot: { values: ['--userspec', '--groups'], operands: 1 },
    chrt: { values: ['-T', '-P', '-D'], operands: 1 },
    command: {},
    coproc: {},
    cpulimit: { values: ['-l', '-p', '-e'] },
    doas: { values: ['-u', '-C'] },
    env: { values: ['-u', '--unset', '-C', '--chdir'] },
    exec: { values: ['-a'] },
    fakeroot: {},
    firejail: {},
    flock: { values: ['-w', '--timeout', '-E', '--wait'], operands: 1 },
    gtimeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
    ionice: { values: ['-c', '-n', '-p', '--class', '--classdata'] },
    ltrace: { values: ['-o', '-e', '-p'] },
    nice: { values: ['-n', '--adjustment'] },
    nocache: {},
    noglob: {},
    nohup: {},
    nsenter: { values: ['-t', '--target', '-S', '-G'] },
    numactl: {},
    parallel: {
      values: ['-j', '--jobs', '-n', '-N', '-I', '--colsep', '-a', '--arg-file', '--delay', '--timeout'],
    },
    pkexec: { values: ['--user'] },
    proxychains: { values: ['-f'] },
    run0: { values: ['-u', '--user'] },
    runuser: { values: ['-u', '--user', '-g'] },
    script: { values: ['-O', '-I', '-B', '-T'] },
    setarch: {},
    setpriv: { values: ['--reuid', '--regid', '--groups'] },
    setsid: {},
    sg: { operands: 1 },
    stdbuf: { values: ['-i', '-o', '-e', '--input', '--output', '--error'] },
    strace: { values: ['-o', '-e', '-p', '-s', '-u', '-E'] },
    sudo: { values: ['-u', '--user', '-g', '--group', '-h', '-p', '-C', '-r', '-t', '-T', '-D', '-R'] },
    taskset: { values: ['-p'], operands: 1 },
    time: { values: ['-f', '-o', '--format', '--output'] },
    timeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
    torsocks: {},
    toybox: {},
    unbuffer: {},
    unshare: { values: ['-S', '-G', '-R', '-w'] },
    watch: { values: ['-n', '--interval'] },
    xargs: {
      values: [
        '-n',
        '-I',
        '-P',
        '-L',
        '-d',
        '-E',
        '-s',
        '-a',
        '--max-args',
        '--max-procs',
        '--delimiter',
        '--arg-file',
      ],
    },
  }),
);

/** With more, only the first and the last are reported. */
const MAX_STEPS = 16;

/** `/usr/bin/rm` and `rm` are the same program; so are `RM.EXE` and `rm` on case-insensitive systems. */
export function programOf(command: SimpleCommand): string {
  const { name } = command;
  const base = name.includes('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
  return /\.exe$/i.test(base) ? base.slice(0, -4) : base;
}

export function argsOf(command: SimpleCommand): Word[] {
  return command.words.slice(1);
}

/**
 * What `env`, `timeout`, `xargs` and the like run, step by step; the last is the command that finally runs.
 */
export function unwrapped(command: SimpleCommand): SimpleCommand[] {
  const steps = [command];
  for (let current = command; ; ) {
    const wrapper = WRAPPERS.get(programOf(current));
    const rest = wrapper === undefined || asks(current) ? [] : behindWrapper(argsOf(current), wrapper);
    if (rest.length === 0 || rest.length >= current.words.length) return steps;
    current = { ...current, name: rest[0]?.text ?? '', words: rest };
    if (steps.length >= MAX_STEPS) steps.pop();
    steps.push(current);
  }
}

/** `command -v sudo` only prints where it is. */
function asks(command: SimpleCommand): boolean {
  return programOf(command) === 'command' && argsOf(command).some(({ text }) => /^-[pvV]*[vV]$/.test(text));
}

/** The command that wrappers finally run. */
export function unwrap(command: SimpleCommand): SimpleCommand {
  return unwrapped(command).at(-1) ?? command;
}

function behindWrapper(args: Word[], { values = [], operands = 0 }: Wrapper): Word[] {
  let at = 0;
  let left = operands;
  while (at < args.length) {
    const text = args[at]?.text ?? '';
    if (values.includes(text)) at += 2;
    else if (/^[-+]./.test(text) || /^(-|\{|\()$/.test(text) || /^[A-Za-z_]\w*\+?=/.test(text)) at += 1;
    else if (left > 0) {
      left -= 1;
      at += 1;
    } else break;
  }
  return args.slice(at);
}
