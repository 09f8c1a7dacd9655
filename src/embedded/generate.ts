import { existsSync } from 'node:fs';
import { rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import type { GrammarState, Llama, LlamaModel, LlamaModule, LlamaSequence, Token } from './llama-types.ts';
import type { Constraint, Generated, GenerateOrder } from './protocol.ts';
import { createTextFlow } from './text-flow.ts';

export type GenerationContext = {
  lib: LlamaModule;
  llama: Llama;
  model: LlamaModel;
  sequence: LlamaSequence;
  contextSize: number;
  batchSize: number;
};

export class OverflowError extends Error {}

/** Maximum time per piece of the prompt between checks for an abort. */
const STEP_MS = 120;
const SMALLEST_STEP = 16;
const FIRST_STEP = 64;
/** Reading a shorter prefix again is faster than loading it from disk. */
const WORTH_KEEPING = 64;

const SAMPLING = { topK: 40, topP: 0.95, minP: 0.05 };

/** Reads the part of the prompt that is not cached, and generates. */
export async function generate(
  context: GenerationContext,
  order: GenerateOrder,
  watch: { text(text: string): void; isAborted(): boolean },
): Promise<Generated> {
  const { model, sequence, contextSize, batchSize } = context;
  const steps = { isAborted: watch.isAborted, largest: batchSize };
  const tokens = tokensOf(model, order.prompt);
  const room = contextSize - tokens.length;
  if (room < 1)
    throw new OverflowError(
      `The conversation has ${tokens.length} tokens; the context window is ${contextSize}.`,
    );
  const limit = Math.min(order.maxTokens ?? room, room);

  const fromDisk = await warmUp(context, { tokens, kept: order.kept });
  // The last token is always evaluated: its output starts the answer.
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  const warm = sequence.nextTokenIndex;
  const done = { promptTokens: tokens.length, warm, fromDisk };
  const keepAt = order.kept ? await keepingPlace(context, { tokens, kept: order.kept, fromDisk }) : 0;
  if (keepAt > sequence.nextTokenIndex) {
    await read(sequence, tokens.slice(sequence.nextTokenIndex, keepAt), steps);
    if (!watch.isAborted() && order.kept) await keep(sequence, order.kept.file);
  }
  await read(sequence, tokens.slice(sequence.nextTokenIndex, -1), steps);
  if (watch.isAborted()) return { ...done, reason: 'aborted', outputTokens: 0 };

  const said = await speak(context, order, { from: tokens.slice(-1), limit, watch });
  return { ...done, ...said };
}

async function speak(
  { lib, llama, model, sequence }: GenerationContext,
  order: GenerateOrder,
  {
    from,
    limit,
    watch,
  }: { from: Token[]; limit: number; watch: { text(text: string): void; isAborted(): boolean } },
): Promise<Pick<Generated, 'reason' | 'outputTokens'>> {
  const begin = async ({ grammar }: Constraint) =>
    new lib.LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
  const atOnce = order.constraints.find(({ after }) => after === null);
  let state: GrammarState | undefined = atOnce && (await begin(atOnce));
  const flow = createTextFlow({
    spell: (tokens, before) => model.detokenize(tokens, order.specials === 'shown', before),
    stop: order.stop,
    emit: watch.text,
  });

  let outputTokens = 0;
  const answer = sequence.evaluate(from, {
    ...SAMPLING,
    temperature: order.temperature,
    ...(order.seed !== null && { seed: order.seed }),
    grammarEvaluationState: () => state,
  });
  try {
    for await (const token of answer) {
      outputTokens++;
      if (watch.isAborted()) return { reason: 'aborted', outputTokens };
      if (flow.push(token) === 'stop') return { reason: 'end', outputTokens };
      const due = state ? undefined : order.constraints.find((constraint) => opens(flow.text(), constraint));
      if (due) state = await begin(due);
      if (outputTokens >= limit) return { reason: 'max_tokens', outputTokens };
    }
    return { reason: 'end', outputTokens };
  } finally {
    flow.end();
  }
}

/** Whether the text ends with the grammar's trigger, apart from white space. */
function opens(text: string, { after }: Constraint): boolean {
  return after !== null && text.trimEnd().endsWith(after);
}

function tokensOf(model: LlamaModel, text: string): Token[] {
  const tokens = model.tokenize(text, true);
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

/** In steps short enough to notice an abort quickly, however slow the machine. */
async function read(
  sequence: LlamaSequence,
  tokens: readonly Token[],
  { isAborted, largest }: { isAborted(): boolean; largest: number },
): Promise<void> {
  let step = FIRST_STEP;
  for (let at = 0; at < tokens.length && !isAborted(); ) {
    const piece = tokens.slice(at, at + step);
    const start = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(piece);
    at += piece.length;
    const ms = Math.max(performance.now() - start, 1);
    step = Math.round(Math.min(Math.max((piece.length / ms) * STEP_MS, SMALLEST_STEP), largest));
  }
}

/** Loads the state of the shared prefix from disk if that saves time; returns the number of tokens loaded. */
async function warmUp(
  { sequence, model }: GenerationContext,
  { tokens, kept }: { tokens: readonly Token[]; kept: GenerateOrder['kept'] },
): Promise<number> {
  if (!kept || !existsSync(kept.file)) return 0;
  const prefix = sharedLength(tokensOf(model, kept.prefix), tokens);
  if (sharedLength(sequence.contextTokens, tokens) >= prefix) return 0;
  try {
    // Written by this program, into a folder that only its owner can write to.
    await sequence.loadStateFromFile(kept.file, { acceptRisk: true });
    const brought = sharedLength(sequence.contextTokens, tokens);
    await utimes(kept.file, new Date(), new Date());
    return brought;
  } catch {
    // Damaged, or for another window: it is computed and written again.
    await rm(kept.file, { force: true });
    await sequence.clearHistory();
    return 0;
  }
}

/** The token up to which the state should be saved to disk; 0 if it is already there or not worth it. */
async function keepingPlace(
  { sequence, model }: GenerationContext,
  {
    tokens,
    kept,
    fromDisk,
  }: { tokens: readonly Token[]; kept: NonNullable<GenerateOrder['kept']>; fromDisk: number },
): Promise<number> {
  if (fromDisk > 0 || existsSync(kept.file)) return 0;
  // The last token of the prefix alone may differ when text follows it.
  const place = sharedLength(tokensOf(model, kept.prefix), tokens) - 1;
  if (place < WORTH_KEEPING) return 0;
  // The cache extends past the prefix: rewinding costs less than never having it on disk.
  if (sequence.nextTokenIndex > place) return 0;
  return place;
}

async function keep(sequence: LlamaSequence, file: string): Promise<void> {
  const writing = `${file}.${process.pid}.tmp`;
  makePrivateFolder(path.dirname(file));
  try {
    await sequence.saveStateToFile(writing);
    await rename(writing, file);
  } catch {
    // Without disk space the next process reads the prompt again: slower, nothing else.
    await rm(writing, { force: true });
  }
}

function sharedLength(a: readonly Token[], b: readonly Token[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
