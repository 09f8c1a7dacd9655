import type { Config } from '../config/schema.ts';
import type { CompletionRequest } from '../contract/provider.ts';

/** What the user has set for every request. */
export function requestSettings({
  maxTokens,
  temperature,
  effort,
}: Config): Pick<CompletionRequest, 'maxTokens' | 'temperature' | 'effort'> {
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(effort !== undefined && { effort }),
  };
}
