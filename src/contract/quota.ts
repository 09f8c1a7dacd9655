/** How much may be asked of a model in a minute; absent means without limit. */
export type QuotaLimits = { requestsPerMinute?: number; tokensPerMinute?: number };

/** Counts what is asked of a model, in this process or for all that share a server. */
export type Quota = {
  /**
   * How many milliseconds to wait before sending; 0 means go, and only then is it counted. `key` names the model, such
   * as `anthropic/claude`.
   */
  take(
    key: string,
    asked: { cost: { requests: number; tokens: number }; limits: QuotaLimits },
    signal: AbortSignal,
  ): Promise<number>;
};
