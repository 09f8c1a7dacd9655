import type { ToolResult } from '../contract/tool.ts';
import { limitsWithin, truncateText } from '../lib/text/truncate.ts';

/** Shortens a text too long for the model to its head and tail, with the path of the full text. */
export async function bound(
  callId: string,
  result: ToolResult,
  deps: { keepOutput(callId: string, text: string): Promise<string | null>; resultLimit?(): number },
) {
  const whole = result.success ? result.output : result.error;
  const text = truncateText(whole, limitsWithin(deps.resultLimit?.()));
  if (text === whole) return { text, metadata: result.metadata };
  const fullOutput = result.metadata?.fullOutput ?? (await deps.keepOutput(callId, whole));
  const where = fullOutput
    ? `\n[${whole.length} characters in total; the full output is in ${fullOutput}: Read it with offset]`
    : '';
  const metadata = {
    ...result.metadata,
    cutCharacters: whole.length - text.length,
    ...(fullOutput ? { fullOutput } : {}),
  };
  return { text: text + where, metadata };
}
