import type { SimpleCommand, Word } from './shell-line.ts';

/**
 * Flags that take the next word, and the number of operands before the wrapped command; `sub` is the word that makes
 * the program run one.
 */
type Wrapper = { values?: readonly string[]; operands?: number; sub?: RegExp };

const CONTAINER: Wrapper = {
  sub: /^(run|exec|create)$/,
  operands: 1,
  values: [
    ...[
      '-v',
      '--volume',
      '-e',
      '--env',
      '-p',
      '--publish',
      '-w',
      '--workdir',
      '-u',
      '--user',
      '--name',
      '--network',
    ],
    ...[
      '--entrypoint',
      '--mount',
      '-m',
      '--memory',
      '--cpus',
      '--env-file',
      '-l',
      '--label',
      '--platform',
      '-h',
    ],
  ],
};

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
    'dbus-run-session': {},
    doas: { values: ['-u', '-C'] },
    entr: {},
    env: { values: ['-u', '--unset', '-C', '--chdir'] },
    exec: { values: ['-a'] },
    fakeroot: {},
    firejail: {},
    flock: { values: ['-w', '--timeout', '-E', '--wait'], operands: 1 },
    gtimeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
    ionice: { values: ['-c', '-n', '-p', '--class', '--classdata'] },
    linux32: {},
    linux64: {},
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
    perf: { sub: /^(stat|record|trace|sched|mem|lock)$/, values: ['-e', '--event', '-o', '--output', '-F'] },
    pkexec: { values: ['--user'] },
    prlimit: {},
    proot: { values: ['-r', '-R', '-S', '-b', '-m', '-w', '-q', '-k'] },
    proxychains: { values: ['-f'] },
    run0: { values: ['-u', '--user'] },
    runuser: { values: ['-u', '--user', '-g'] },
    script: { values: ['-O', '-I', '-B', '-T'] },
    setarch: { operands: 1 },
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
    valgrind: {},
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
    'xvfb-run': {
      values: ['-e', '-f', '-n', '-p', '-s', '-w', '--error-file', '--server-num', '--server-args'],
    },
  }),
);

/** Programs that find the command they run, or where it runs, themselves: its own program in each case. */
const RUNNERS = new Map(
  Object.entries<Wrapper>({
    asdf: { sub: /^exec$/ },
    bun: { sub: /^x$/ },
    bundle: { sub: /^exec$/ },
    bunx: {},
    conda: { sub: /^run$/, values: ['-n', '--name', '-p', '--prefix'] },
    devbox: { sub: /^run$/ },
    direnv: { sub: /^exec$/, operands: 1 },
    hatch: { sub: /^run$/ },
    machinectl: { sub: /^shell$/, operands: 1, values: ['-E', '--setenv', '--uid'] },
    mise: { sub: /^(exec|x)$/ },
    npm: { sub: /^(exec|x)$/, values: ['-p', '--package', '-w', '--workspace'] },
    npx: { values: ['-p', '--package', '-w', '--workspace'] },
    pdm: { sub: /^run$/ },
    pipenv: { sub: /^run$/ },
    pixi: { sub: /^(run|exec)$/, values: ['-e', '--environment', '--manifest-path'] },
    pnpm: { sub: /^(exec|dlx)$/ },
    poetry: { sub: /^run$/ },
    rye: { sub: /^run$/ },
    screen: { values: ['-S', '-c', '-h', '-T'] },
    spawn: {},
    'systemd-run': { values: ['-p', '--property', '-u', '--unit', '-E', '--setenv', '--uid', '--gid', '-M'] },
    tmux: {
      sub: /^(new|new-session|neww|new-window|splitw|split-window|run|run-shell|respawn-pane)$/,
      values: ['-s', '-n', '-c', '-t', '-x', '-y', '-e', '-F', '-L', '-S'],
    },
    uv: {
      sub: /^run$/,
      values: ['--with', '-p', '--python', '--directory', '--project', '--extra', '--group', '-m'],
    },
    uvx: { values: ['--from', '--with', '-p', '--python'] },
    yarn: { sub: /^(exec|dlx|run)$/ },
  }),
);

/** What loads a program and runs it. */
const LOADER = /^ld(-linux[\w-]*|-musl-\w+)?\.so(\.\d+)?$/;
const LOADING: Wrapper = { values: ['--library-path', '--argv0', '--preload', '--audit', '--inhibit-rpath'] };

/** What a command runs inside a container, or null. */
export function inContainer(command: SimpleCommand): SimpleCommand | null {
  if (!/^(docker|podman|nerdctl)$/.test(programOf(command))) return null;
  const words = behindWrapper(argsOf(command), CONTAINER);
  return words.length === 0 ? null : { ...command, words, name: words[0]?.text ?? '' };
}

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
 * What `env`, `timeout`, `xargs`, `npx` and the like run, step by step; the last is the command that finally runs.
 */
export function unwrapped(command: SimpleCommand): SimpleCommand[] {
  return stepsOf(command, (program) => wrapperOf(program) ?? RUNNERS.get(program));
}

function wrapperOf(program: string): Wrapper | undefined {
  return WRAPPERS.get(program) ?? (LOADER.test(program) ? LOADING : undefined);
}

function stepsOf(command: SimpleCommand, find: (program: string) => Wrapper | undefined): SimpleCommand[] {
  const steps = [command];
  for (let current = command; ; ) {
    const wrapper = find(programOf(current));
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

/** The command that wrappers finally run, with the runner that finds it. */
export function unwrap(command: SimpleCommand): SimpleCommand {
  return stepsOf(command, wrapperOf).at(-1) ?? command;
}

function behindWrapper(args: Word[], { values = [], operands = 0, sub }: Wrapper): Word[] {
  const named = args.findIndex(({ text }) => !text.startsWith('-'));
  if (sub && !sub.test(args[named]?.text ?? '')) return [];
  let at = sub ? named + 1 : 0;
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
