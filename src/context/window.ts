/**
 * The intended use of a window, in parts of 128: ratios, whatever the real window is. One part is reserve.
 */
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
  /** Maximum tokens of a request, so that an answer still fits. */
  room: number;
  /** A larger request is compacted before it is sent. */
  compactAt: number;
  /** The size to compact to; with more, the next turn would have to compact again. */
  target: number;
  /** From this size on a summary is prepared in the background. */
  prepareAt: number;
};

const TARGET = 0.7;
const PREPARE = 0.75;
/**
 * Reserved for an answer: few are longer, and a longer one continues after the next compaction. Reserving a
 * model's full output limit would leave a third of the window unused.
 */
const RESERVE = { share: 1 / 8, most: 32_000 };

/**
 * `threshold` is a share of the window without the answer's part; `maxOutput` is the maximum size of an
 * answer.
 */
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
