import type { CommandRun, Shell, SyntaxLanguage } from '../../contract/tool.ts';

const LIMIT_MS = 2_000;
/** In characters. */
const LONGEST = 500_000;

const PYTHON = `
import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except SyntaxError as error:
    print(f"line {error.lineno}: {error.msg}")
`;

/** A file may be of either kind; what is thrown for the one that it looks like counts. JSX is no fault. */
const JAVASCRIPT = `
const vm = require('node:vm');
const text = require('node:fs').readFileSync(0, 'utf8').replace(/^#!.*/, '');
const kinds = [
  () => vm.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: 'file' }),
  () => new vm.SourceTextModule(text, { identifier: 'file' }),
];
if (/^\\s*(import|export)\\b/m.test(text)) kinds.reverse();
const faults = [];
for (const parse of kinds)
  try {
    parse();
  } catch (error) {
    const line = /^file:(\\d+)/.exec(error.stack);
    if (error.name === 'SyntaxError') faults.push((line ? 'line ' + line[1] + ': ' : '') + error.message);
  }
if (faults.length === kinds.length && !faults[0].endsWith("token '<'")) console.log(faults[0]);
`;

/** Parses its input, runs none of it, and prints what is wrong. */
const COMMANDS: Readonly<Record<SyntaxLanguage, string>> = {
  Python: `python3 -I -S -W ignore -c '${PYTHON}'`,
  JavaScript: `node --no-warnings --experimental-vm-modules -e '${JAVASCRIPT.replaceAll("'", `'\\''`)}'`,
  shell: `said=$(bash --norc --noprofile -n 2>&1) || printf '%s\\n' "$said" | sed -n '1s/^bash: //p'`,
};

export type SyntaxCheckOptions = {
  shell: Pick<Shell, 'run' | 'sandbox'>;
  /** Without programs and settings that the project could have planted. */
  environment(): NonNullable<CommandRun['env']>;
};

/**
 * What is wrong with a text, by the programs of its language; null if nothing is, or none can tell. They run in a sandbox
 * that shows nothing of the project, and nowhere else.
 */
export function createSyntaxCheck({ shell, environment }: SyntaxCheckOptions) {
  return async (language: SyntaxLanguage, text: string, signal: AbortSignal): Promise<string | null> => {
    const { kind } = await shell.sandbox();
    if (text.length > LONGEST || (kind !== 'bubblewrap' && kind !== 'seatbelt')) return null;
    const { stdout, exitCode } = await shell.run({
      command: COMMANDS[language],
      input: text,
      env: environment(),
      timeoutMs: LIMIT_MS,
      signal,
      onlyReads: true,
      apart: true,
    });
    const [said = ''] = stdout.trim().split('\n');
    return exitCode === 0 && said !== '' ? said : null;
  };
}
