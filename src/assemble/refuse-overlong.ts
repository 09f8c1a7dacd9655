import { ContextOverflowError } from '../contract/errors.ts';
import type { CompletionRequest } from '../contract/provider.ts';
import { estimateTokens } from '../providers/estimate.ts';

/** The estimate errs on the high side; only what is over by far is not even sent. */
export function refuseOverlong(request: CompletionRequest, contextWindow: number): void {
  const tokens = estimateTokens(request);
  if (tokens > contextWindow * 1.5) throw new ContextOverflowError(tokens, contextWindow);
}
