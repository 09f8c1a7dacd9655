/** How a window is meant to be used, in parts of 128: ratios, whatever the real window is. One part is reserve. */
const SHARES = { system: 2, tools: 5, summary: 10, recent: 30, files: 40, response: 40 } as const;
const PARTS = 128;

/** Tokens for each use. */
export type Budget = Record<keyof typeof SHARES, number>;

export function budgetOf(window: number): Budget {
  const part = (share: keyof Budget) => Math.floor((window * SHARES[share]) / PARTS);
  return {
    system: part('system'),
    tools: part('tools'),
    summary: part('summary'),
    recent: part('recent'),
    files: part('files'),
    response: part('response'),
  };
}

export type Limits = {
  /** What a request may take, so that an answer still has room. */
  room: number;
  /** A request larger than this is made smaller before it is sent. */
  compactAt: number;
  /** What is made smaller is made at most this large, or the next turn would have to do it again. */
  target: number;
  /** From here on a summary is prepared while others work. */
  prepareAt: number;
};

const TARGET = 0.7;
const PREPARE = 0.75;
/**
 * What is kept free for an answer: hardly any is longer, and one that is goes on by itself after the next compaction.
 * To reserve all that a model could ever write would leave a third of the window unused.
 */
const RESERVE = { share: 1 / 8, most: 32_000 };

/** `threshold` is a share of the window without the answer's part; `maxOutput` is what an answer takes at most. */
export function limitsOf(window: number, { threshold, maxOutput }: { threshold: number; maxOutput: number }) {
  const room = Math.floor(window - Math.min(window * RESERVE.share, RESERVE.most, maxOutput));
  const compactAt = Math.floor(room * threshold);
  return {
    room,
    compactAt,
    target: Math.floor(compactAt * TARGET),
    prepareAt: Math.min(compactAt, Math.floor(room * PREPARE)),
  } satisfies Limits;
}
