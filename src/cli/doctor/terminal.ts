import { ok, warn } from '../../app/doctor/check.ts';
import type { HealthCheck } from '../../contract/command.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';

/** Terminals answer within milliseconds; slow connections take longer. */
const ANSWER_MS = 500;

type Env = Readonly<Record<string, string | undefined>>;

/** The terminal's capabilities, as reported by itself. */
export async function terminalChecks({ env, stdin, stdout }: Terminal): Promise<HealthCheck[]> {
  if (!stdin.isTTY || !stdout.isTTY) return [ok('terminal', 'none (input or output is a pipe or file)')];
  const { colorDepthOf } = await import('../../frontends/terminal/theme/color.ts');
  const keyboard = await knowsKittyKeyboard(stdin, stdout);
  const facts = [
    env.TERM ?? 'TERM is not set',
    ...(env.TERM_PROGRAM ? [env.TERM_PROGRAM] : []),
    `${stdout.columns} × ${stdout.rows}`,
    `colours: ${colorDepthOf(env)}`,
    `kitty keyboard: ${keyboard ? 'yes' : 'no'}`,
  ];
  return [ok('terminal', facts.join(', ')), sizeCheck(stdout), localeCheck(env, process.platform)].filter(
    (check) => check !== null,
  );
}

function sizeCheck({ columns, rows }: Pick<NodeJS.WriteStream, 'columns' | 'rows'>): HealthCheck | null {
  if (columns >= 40 && rows >= 10) return null;
  return warn('size', `${columns} × ${rows} is very small`, 'Make the window larger, or start with --plain.');
}

/** Whether non-ASCII characters can be shown; not applicable on Windows. */
export function localeCheck(env: Env, platform: NodeJS.Platform): HealthCheck {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (platform === 'win32' || /utf-?8/i.test(locale)) return ok('unicode', locale || 'UTF-8');
  return warn(
    'unicode',
    locale === '' ? 'no locale is set' : `the locale ${locale} is not UTF-8`,
    'Set LANG to a UTF-8 locale such as C.UTF-8.',
  );
}

/**
 * Queries the keyboard mode, then something every terminal answers: the order of the answers shows the
 * support.
 */
async function knowsKittyKeyboard(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Promise<boolean> {
  const wasRaw = stdin.isRaw;
  stdin.setRawMode(true);
  stdin.resume();
  try {
    return await new Promise<boolean>((resolve) => {
      let heard = '';
      const hear = (chunk: Buffer) => {
        heard += chunk.toString('latin1');
        if (heard.includes('\x1b[?') && /[\dm;]c/.test(heard)) end();
      };
      const end = () => {
        clearTimeout(timer);
        stdin.off('data', hear);
        resolve(/\[\?\d+u/.test(heard));
      };
      const timer = setTimeout(end, ANSWER_MS);
      stdin.on('data', hear);
      stdout.write('\x1b[?u\x1b[c');
    });
  } finally {
    stdin.setRawMode(wasRaw);
    stdin.pause();
  }
}
