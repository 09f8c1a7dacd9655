import type { Tool, ToolResult } from '../contract/tool.ts';
import { fullLimits, limitsWithin, type ResultLimits, resultLimits } from '../lib/results/result-limits.ts';
import { firstMissingLine, shortenOutput } from '../lib/results/shorten-output.ts';
import type { Prepared } from './prepare-call.ts';

/** For the notes that tools append to a full page. */
const NOTES_LENGTH = 500;
/** What the result of an edit is counted as: only what is read or printed can be long. */
const SHORT_RESULT = 1_000;

/** The results of one reply share a budget: where they would exceed it, none may be longer than its equal share. */
export class ReplyBudget {
  readonly #limits: ResultLimits;
  readonly #share: number;
  /** What ended calls left of their shares. */
  #spare = 0;

  constructor(calls: readonly Pick<Prepared, 'tool' | 'accesses'>[], windowTokens: number | undefined) {
    this.#limits = windowTokens === undefined ? fullLimits : resultLimits(windowTokens);
    const expected = calls.map((call) => expectedLength(call, this.#limits));
    this.#share = equalShare(expected, this.#limits.reply);
  }

  /** What a call may return that starts now. */
  limits(): ResultLimits {
    return limitsWithin(this.#limits, this.#share + this.#spare);
  }

  ended(length: number): void {
    this.#spare += this.#share - length;
  }
}

function expectedLength(
  { tool, accesses }: Pick<Prepared, 'tool' | 'accesses'>,
  limits: ResultLimits,
): number {
  if (tool?.results) return limits[tool.results];
  return accesses.some(({ kind }) => kind !== 'write') ? limits.output : SHORT_RESULT;
}

/** The largest share with which all of them stay within the budget. */
function equalShare(expected: readonly number[], budget: number): number {
  let left = budget;
  let open = expected.length;
  for (const length of [...expected].sort((a, b) => a - b)) {
    if (length * open > left) return Math.floor(left / open);
    left -= length;
    open--;
  }
  return budget;
}

type BoundDeps = { keepOutput(callId: string, text: string): Promise<string | null> };
type BoundCall = { id: string; tool?: Pick<Tool, 'results'> | undefined; limits: ResultLimits };

/** Shortens a text too long for the model. It is the only time: the history then keeps it as it is. */
export async function bound({ id, tool, limits }: BoundCall, result: ToolResult, deps: BoundDeps) {
  const whole = result.success ? result.output : result.error;
  // Tools with pages have fitted their results to the limit themselves.
  const max = tool?.results === 'read' ? limits.readAsked : limits[tool?.results ?? 'output'];
  if (whole.length <= (tool?.results === undefined ? max : max + NOTES_LENGTH))
    return { text: whole, metadata: result.metadata };
  const text = shortenOutput(whole, max);
  const fullOutput = result.metadata?.fullOutput ?? (await deps.keepOutput(id, whole));
  const line = firstMissingLine(whole, text);
  const where = fullOutput
    ? `\n[${text.length} of ${whole.length} characters; all of them are in ${fullOutput}: Grep it for what you need, or Read it with offset ${line}]`
    : '';
  const metadata = {
    ...result.metadata,
    cutCharacters: whole.length - text.length,
    ...(fullOutput ? { fullOutput } : {}),
  };
  return { text: text + where, metadata };
}
