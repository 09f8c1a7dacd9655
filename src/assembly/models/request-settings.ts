import type { Config } from '../../config/schema/schema.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';

/** The user's settings for every request. */
export function requestSettings({
  maxTokens,
  temperature,
}: Config): Pick<CompletionRequest, 'maxTokens' | 'temperature'> {
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** The default output limit: few answers are longer. */
const USUAL_OUTPUT = 32_000;

/** Output limits: the usual one, and the one after a truncated answer. A user setting overrides both. */
export function outputLimits(
  { maxTokens }: Pick<Config, 'maxTokens'>,
  { maxOutputTokens }: Pick<ModelInfo, 'maxOutputTokens'>,
): { maxOutput: number; mostOutput: number } {
  const mostOutput = Math.min(maxTokens ?? maxOutputTokens, maxOutputTokens);
  return { maxOutput: maxTokens === undefined ? Math.min(mostOutput, USUAL_OUTPUT) : mostOutput, mostOutput };
}
