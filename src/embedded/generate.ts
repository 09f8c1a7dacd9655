import { existsSync } from 'node:fs';
import { rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import type { GrammarState, Llama, LlamaModel, LlamaModule, LlamaSequence, Token } from './llama-types.ts';
import type { Constraint, Generated, GenerateOrder } from './protocol.ts';
import { createTextFlow } from './text-flow.ts';

export type Voice = {
  lib: LlamaModule;
  llama: Llama;
  model: LlamaModel;
  sequence: LlamaSequence;
  contextSize: number;
};

export class OverflowError extends Error {}

/** So long a piece of the prompt may take before it is asked whether to stop. */
const STEP_MS = 120;
const SMALLEST_STEP = 16;
const FIRST_STEP = 64;
const LARGEST_STEP = 512;
/** A shorter beginning is read again sooner than it is found on the disk. */
const WORTH_KEEPING = 64;

const SAMPLING = { topK: 40, topP: 0.95, minP: 0.05 };

/** Reads the prompt, as far as it is not known already, and lets the model go on. */
export async function generate(
  voice: Voice,
  order: GenerateOrder,
  watch: { text(text: string): void; isAborted(): boolean },
): Promise<Generated> {
  const { model, sequence, contextSize } = voice;
  const tokens = tokensOf(model, order.prompt);
  const room = contextSize - tokens.length;
  if (room < 1)
    throw new OverflowError(`The conversation has ${tokens.length} tokens; the window is ${contextSize}.`);
  const limit = Math.min(order.maxTokens ?? room, room);

  const fromDisk = await warmUp(voice, { tokens, kept: order.kept });
  // The last token is always read: what it leads to is the answer.
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  const warm = sequence.nextTokenIndex;
  const done = { promptTokens: tokens.length, warm, fromDisk };
  const keepAt = order.kept ? await keepingPlace(voice, { tokens, kept: order.kept, fromDisk }) : 0;
  if (keepAt > sequence.nextTokenIndex) {
    await read(sequence, tokens.slice(sequence.nextTokenIndex, keepAt), watch);
    if (!watch.isAborted() && order.kept) await keep(sequence, order.kept.file);
  }
  await read(sequence, tokens.slice(sequence.nextTokenIndex, -1), watch);
  if (watch.isAborted()) return { ...done, reason: 'aborted', outputTokens: 0 };

  const said = await speak(voice, order, { from: tokens.slice(-1), limit, watch });
  return { ...done, ...said };
}

async function speak(
  { lib, llama, model, sequence }: Voice,
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

/** Whether the text ends with what the grammar waits for, and nothing but white space behind it. */
function opens(text: string, { after }: Constraint): boolean {
  return after !== null && text.trimEnd().endsWith(after);
}

function tokensOf(model: LlamaModel, text: string): Token[] {
  const tokens = model.tokenize(text, true);
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

/** In steps so short that an abort is soon noticed, however slow the machine. */
async function read(
  sequence: LlamaSequence,
  tokens: readonly Token[],
  { isAborted }: { isAborted(): boolean },
): Promise<void> {
  let step = FIRST_STEP;
  for (let at = 0; at < tokens.length && !isAborted(); ) {
    const piece = tokens.slice(at, at + step);
    const start = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(piece);
    at += piece.length;
    const ms = Math.max(performance.now() - start, 1);
    step = Math.round(Math.min(Math.max((piece.length / ms) * STEP_MS, SMALLEST_STEP), LARGEST_STEP));
  }
}

/** Takes the state of the shared beginning from the disk, when that saves reading; how many tokens it brought. */
async function warmUp(
  { sequence, model }: Voice,
  { tokens, kept }: { tokens: readonly Token[]; kept: GenerateOrder['kept'] },
): Promise<number> {
  if (!kept || !existsSync(kept.file)) return 0;
  const prefix = sharedLength(tokensOf(model, kept.prefix), tokens);
  if (sharedLength(sequence.contextTokens, tokens) >= prefix) return 0;
  try {
    // Written by this program, into a folder where only its owner may write.
    await sequence.loadStateFromFile(kept.file, { acceptRisk: true });
    const brought = sharedLength(sequence.contextTokens, tokens);
    await utimes(kept.file, new Date(), new Date());
    return brought;
  } catch {
    // Damaged, or of another window: it is read anew and written again.
    await rm(kept.file, { force: true });
    await sequence.clearHistory();
    return 0;
  }
}

/** Up to which token the state is to be kept on the disk; 0 when it is there already or not worth it. */
async function keepingPlace(
  { sequence, model }: Voice,
  {
    tokens,
    kept,
    fromDisk,
  }: { tokens: readonly Token[]; kept: NonNullable<GenerateOrder['kept']>; fromDisk: number },
): Promise<number> {
  if (fromDisk > 0 || existsSync(kept.file)) return 0;
  // The last token of the prefix alone may be another one when text follows it.
  const place = sharedLength(tokensOf(model, kept.prefix), tokens) - 1;
  if (place < WORTH_KEEPING) return 0;
  // What is known goes further than the prefix: going back costs less than never having it on the disk.
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
    // Without room on the disk the next process reads it again: slower, nothing else.
    await rm(writing, { force: true });
  }
}

function sharedLength(a: readonly Token[], b: readonly Token[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
