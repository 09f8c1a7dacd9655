import type { Config } from '../../../config/schema/schema.ts';
import { sanitize } from '../text/sanitize.ts';

export type NotificationSettings = Config['notifications'];

type Env = Readonly<Record<string, string | undefined>>;

export type Note = { title: string; message: string };

const BELL = '\u0007';
const ESC = '\u001b';

/** What to write to the terminal for a notification; empty for nothing. */
export function notificationText(
  note: Note,
  { bell, desktop }: Pick<NotificationSettings, 'bell' | 'desktop'>,
  env: Env,
): string {
  const kind = desktop === 'auto' ? kindFor(env) : desktop;
  const [title, message] = [plain(note.title), plain(note.message)];
  const sequence =
    kind === 'osc9'
      ? `${ESC}]9;${title}: ${message}${BELL}`
      : kind === 'osc777'
        ? `${ESC}]777;notify;${title.replaceAll(';', ',')};${message}${BELL}`
        : '';
  return `${through(sequence, env)}${bell ? BELL : ''}`;
}

/** The Linux console would print them. OSC 9 is the more common one; others take it for something else. */
function kindFor({ TERM = '', VTE_VERSION }: Env): 'osc9' | 'osc777' | 'off' {
  if (/^(linux|dumb)?$/.test(TERM)) return 'off';
  return VTE_VERSION !== undefined || /^(rxvt|foot)/.test(TERM) ? 'osc777' : 'osc9';
}

/** Multiplexers keep sequences for themselves unless they are wrapped. The bell they pass on. */
function through(sequence: string, { TMUX, STY }: Env): string {
  if (sequence === '') return '';
  if (TMUX) return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
  if (STY) return `${ESC}P${sequence}${ESC}\\`;
  return sequence;
}

/** Control characters would end the sequence. */
function plain(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, ' ').slice(0, 200);
}
