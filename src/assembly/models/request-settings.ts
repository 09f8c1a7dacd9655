import type { Config } from '../../config/schema/schema.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';

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

/** Most tokens of an answer by default: hardly any is longer. */
const USUAL_OUTPUT = 32_000;

/** Most tokens of an answer: as it is asked for, and after one that was cut off. What the user has set holds for both. */
export function outputLimits(
  { maxTokens }: Pick<Config, 'maxTokens'>,
  { maxOutputTokens }: Pick<ModelInfo, 'maxOutputTokens'>,
): { maxOutput: number; mostOutput: number } {
  const mostOutput = Math.min(maxTokens ?? maxOutputTokens, maxOutputTokens);
  return { maxOutput: maxTokens === undefined ? Math.min(mostOutput, USUAL_OUTPUT) : mostOutput, mostOutput };
}
