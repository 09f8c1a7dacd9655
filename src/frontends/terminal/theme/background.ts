import type { Ground } from './theme.ts';

/**
 * Queries the background color, then the device attributes, which every terminal answers: if that reply comes
 * first, no color will follow.
 */
const QUESTION = '\u001b]11;?\u001b\\\u001b[c';
const LIMIT_MS = 150;

const COLOR_REPLY = /\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i;
const IDENTITY_REPLY = /\[\?[\d;]*c$/;

/**
 * The connection to the terminal: `onReply` is called with complete replies, and returns a function that
 * stops listening.
 */
export type ReplyLine = { write(text: string): void; onReply(listener: (reply: string) => void): () => void };

/** Whether the terminal's background is dark; null when it does not answer in time. */
export function queryBackground(line: ReplyLine, limitMs = LIMIT_MS): Promise<Ground | null> {
  return new Promise((resolve) => {
    const done = (ground: Ground | null): void => {
      clearTimeout(timer);
      stop();
      resolve(ground);
    };
    const timer = setTimeout(() => done(null), limitMs);
    const stop = line.onReply((reply) => {
      const ground = groundOfReply(reply);
      if (ground !== null) done(ground);
      else if (IDENTITY_REPLY.test(reply)) done(null);
    });
    line.write(QUESTION);
  });
}

/** Parses a reply to OSC 11. */
export function groundOfReply(reply: string): Ground | null {
  const parts = COLOR_REPLY.exec(reply)?.slice(1);
  if (!parts) return null;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (hex) => Number.parseInt(hex, 16) / (16 ** hex.length - 1),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark';
}

/** COLORFGBG, which some terminals set: the last number is the background among the 16 colors. */
export function groundOfEnv(env: Readonly<Record<string, string | undefined>>): Ground | null {
  const background = env.COLORFGBG?.split(';').at(-1);
  if (background === undefined || !/^\d{1,2}$/.test(background)) return null;
  return ['7', '9', '10', '11', '12', '13', '14', '15'].includes(background) ? 'light' : 'dark';
}
