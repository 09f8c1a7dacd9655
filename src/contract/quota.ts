/** Maximum requests and tokens per minute for a model; absent means unlimited. */
export type QuotaLimits = { requestsPerMinute?: number; tokensPerMinute?: number };

/** Counts the requests to a model, in this process or for all processes that share a server. */
export type Quota = {
  /**
   * Milliseconds to wait before sending. 0 means send now, and only then is the request counted. `key` names
   * the model, such as `anthropic/claude`.
   */
  take(
    key: string,
    asked: { cost: { requests: number; tokens: number }; limits: QuotaLimits },
    signal: AbortSignal,
  ): Promise<number>;
};
