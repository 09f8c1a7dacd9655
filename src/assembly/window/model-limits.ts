import { type Limits, limitsOf } from '../../context/window.ts';

/** The model in use, its window, and most tokens of an answer: as it is asked for, and if need be. */
export type Answering = { model: string; contextWindow: number; maxOutput: number; mostOutput?: number };

/** What is used of a window that proved smaller than documented. */
const SMALLER = 0.9;
/** What a compaction leaves of the room for messages, or the next one would come too soon. */
const GIVEN_BACK = 0.5;

/** How much fits into a request; corrected by what vendors refuse. */
export type ModelLimits = ReturnType<typeof createModelLimits>;

export function createModelLimits({ answering, threshold }: { answering(): Answering; threshold: number }) {
  /** By model: the share of its window that it really has. */
  const real = new Map<string, number>();
  /** By model: the share left after refusals that no compaction helped against. */
  const refused = new Map<string, number>();

  function within(shares: ReadonlyMap<string, number>): Limits {
    const { model, contextWindow, maxOutput } = answering();
    return limitsOf(contextWindow * (shares.get(model) ?? 1), { threshold, maxOutput });
  }

  return {
    now: () => within(real),
    afterRefusals: () => within(refused),

    /** A small window is half full before anything is said: what counts is what the conversation itself gets back. */
    withTarget(fixed: number): Limits {
      const all = within(real);
      const half = fixed + (all.compactAt - fixed) * GIVEN_BACK;
      return { ...all, target: Math.max(0, Math.min(all.target, half)) };
    },

    /** A request of so many tokens was refused: the window is smaller than documented. */
    shrink(tokens: number, { compactAt }: Limits): void {
      const { model } = answering();
      real.set(model, ((real.get(model) ?? 1) * SMALLER * tokens) / compactAt);
    },

    /** Takes this share of what fits after refusals; returns the way back. */
    reduce(share: number): () => void {
      const { model } = answering();
      const before = refused.get(model) ?? 1;
      refused.set(model, before * share);
      return () => refused.set(model, before);
    },
  };
}
