type Env = Readonly<Record<string, string | undefined>>;

/** Flags allowed with the screen, and whether a value follows. */
const FLAGS: Readonly<Record<string, boolean>> = {
  '-m': true,
  '--model': true,
  '--mode': true,
  '--allow': true,
  '--deny': true,
  '--add-dir': true,
  '--max-turns': true,
  '--budget': true,
  '-c': false,
  '--continue': false,
  '--offline': false,
  '--trust': false,
  '-q': false,
  '--quiet': false,
  '-v': false,
  '--verbose': false,
};

/** The minimum size for the rows, with some space above. */
const FEWEST = { columns: 40, rows: 8 };

type Place = {
  env: Env;
  stdin: { isTTY: boolean };
  stdout: { isTTY: boolean; columns: number; rows: number };
};

/** Whether these arguments certainly open the screen. Anything unusual does not. */
export function leadsToScreen(args: readonly string[], { env, stdin, stdout }: Place): boolean {
  if (!stdin.isTTY || !stdout.isTTY || env.CI || !env.TERM || env.TERM === 'dumb') return false;
  if (stdout.columns < FEWEST.columns || stdout.rows < FEWEST.rows) return false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const takesValue = FLAGS[arg];
    if (takesValue) i++;
    // A single word may be a subcommand; a sentence is a prompt.
    else if (takesValue === undefined && !/^[^-\s]\S* /.test(arg)) return false;
  }
  return true;
}

/** The mode in the arguments, if any. */
export function modeIn(args: readonly string[]): string | undefined {
  const at = args.lastIndexOf('--mode');
  return at === -1 ? undefined : args[at + 1];
}
