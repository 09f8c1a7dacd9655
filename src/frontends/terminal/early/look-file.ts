import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { withSyncLock } from '../../../lib/files/lock.ts';
import { readRegularText } from '../../../lib/files/regular-file.ts';
import type { Look } from '../theme/look.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One entry per kind of terminal, the most recently used last. */
type Looks = Record<string, Look>;

const MOST_LOOKS = 8;
const MOST_BYTES = 64 * 1024;
/** Don't delay a start longer than this for it. */
const PATIENCE_MS = 1_000;

/** The only escape sequences a file may contain are colors. */
const COLOUR = /^\[[\d;]{1,20}m/;
const PLAIN = /^[ -~\u00a1-\u02ff\u2026\u2387]{0,200}$/;
const MOST_COLOURS = 20;

/** The appearance when the screen was last opened on such a terminal; null if unknown. */
export function readLook(root: string, env: Env): Look | null {
  return looksIn(root)[kindOf(env)] ?? null;
}

/** Write errors are ignored: the next start just paints a little later. */
export function keepLook(root: string, env: Env, look: Look): void {
  const kind = kindOf(env);
  if (!existsSync(root) || JSON.stringify(readLook(root, env)) === JSON.stringify(look)) return;
  change(root, ({ [kind]: _, ...others }) =>
    Object.fromEntries([...Object.entries(others).slice(1 - MOST_LOOKS), [kind, look]]),
  );
}

/** The next start waits for the main screen. */
export function dropLook(root: string, env: Env): void {
  if (readLook(root, env)) change(root, ({ [kindOf(env)]: _, ...others }) => others);
}

function change(root: string, update: (looks: Looks) => Looks): void {
  const file = fileIn(root);
  const temporary = `${file}.${process.pid}.tmp`;
  attempt(() =>
    withSyncLock(
      file,
      () => {
        writeFileSync(temporary, JSON.stringify(update(looksIn(root))), { mode: 0o600 });
        renameSync(temporary, file);
      },
      PATIENCE_MS,
    ),
  );
}

function fileIn(root: string): string {
  return path.join(root, 'cache', 'looks.json');
}

function looksIn(root: string): Looks {
  const looks = attempt(() => {
    const text = readRegularText(fileIn(root));
    return text.length > MOST_BYTES ? {} : (JSON.parse(text) as unknown);
  });
  return Object.fromEntries(
    Object.entries(looks ?? {}).filter((entry): entry is [string, Look] => isLook(entry[1])),
  );
}

/** Everything the appearance depends on besides the settings. */
function kindOf(env: Env): string {
  const names = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'NO_COLOR', 'FORCE_COLOR', 'COLORFGBG'];
  const settings = ['AI_ASSISTANT_THEME', 'AI_ASSISTANT_MODE'];
  const told = [...names, ...settings].map((name) => env[name] ?? '');
  return [...told, env.WT_SESSION ? 'wt' : ''].join('|');
}

/** Validated by hand: a validation library takes longer to load than everything else here. */
function isLook(value: unknown): value is Look {
  if (typeof value !== 'object' || value === null) return false;
  const { ground, sign, placeholder, mode, muted, border, warning, heads } = value as Record<string, unknown>;
  const texts = [sign, placeholder, mode, ...Object.values(Object(heads))];
  const styles = [muted, border, warning];
  return (
    (ground === 'dark' || ground === 'light') &&
    texts.every((text) => typeof text === 'string' && isColoured(text)) &&
    styles.every(
      (codes) =>
        Array.isArray(codes) &&
        codes.length === 2 &&
        codes.every((code) => typeof code === 'string' && isColoured(code)),
    )
  );
}

function isColoured(text: string): boolean {
  const [begin = '', ...pieces] = text.split('\u001b');
  if (!PLAIN.test(begin) || pieces.length > MOST_COLOURS) return false;
  return pieces.every((piece) => COLOUR.test(piece) && PLAIN.test(piece.replace(COLOUR, '')));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
