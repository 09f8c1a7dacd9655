import { type Limits, limitsOf } from '../../context/window.ts';

/** The current model, its window, and its output limits: the usual one and the maximum. */
export type Answering = {
  model: string;
  /** Unless it is the default one. */
  account?: string;
  contextWindow: number;
  maxOutput: number;
  mostOutput?: number;
};

/** Share to use of a window that is smaller than documented. */
const SMALLER = 0.9;
/** Share of the message space left after a compaction; with more, the next one would come too soon. */
const GIVEN_BACK = 0.5;

/** How much fits into a request; corrected by vendors' rejections. */
export type ModelLimits = ReturnType<typeof createModelLimits>;

export function createModelLimits({ answering, threshold }: { answering(): Answering; threshold: number }) {
  /** By model: the effective share of its window. */
  const real = new Map<string, number>();
  function now(): Limits {
    const { model, contextWindow, maxOutput } = answering();
    return limitsOf(contextWindow * (real.get(model) ?? 1), { threshold, maxOutput });
  }

  return {
    now,

    /**
     * A small window is half full before the first message: what counts is the space that the conversation
     * gains.
     */
    withTarget(fixed: number): Limits {
      const all = now();
      const half = fixed + (all.compactAt - fixed) * GIVEN_BACK;
      return { ...all, target: Math.max(0, Math.min(all.target, half)) };
    },

    /** A request of this many tokens was rejected: the window is smaller than documented. */
    shrink(tokens: number, { compactAt }: Limits): void {
      const { model } = answering();
      real.set(model, ((real.get(model) ?? 1) * SMALLER * tokens) / compactAt);
    },
  };
}
