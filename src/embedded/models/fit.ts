import type { GgufFacts } from './gguf.ts';

/** What a machine has to spare now. */
export type Room = {
  /** Memory in bytes that is free or can be freed. */
  freeBytes: number;
  cores: number;
};

export type Fit = { contextSize: number; threads: number; batchSize: number };

const SMALLEST_CONTEXT = 2048;
const LARGEST_CONTEXT = 32_768;
/** For the rest of the machine. */
const SPARE_BYTES = 512 * 1024 * 1024;
/** What the computation itself takes besides the weights and the attention. */
const WORKING_BYTES = 256 * 1024 * 1024;
const BATCH = 512;

/** Threads that leave one core to the screen: with all of them, llama.cpp and everything else wait for each other. */
export function threadsFor(cores: number): number {
  return Math.max(1, cores - 1);
}

/**
 * How large a window fits the memory: what is left after the weights, halved until it fits. Weights are mapped from the
 * file and can be let go of, so a machine with too little memory gets a small window and a slow model, not a refusal.
 */
export function fitModel(facts: GgufFacts, room: Room, wanted?: number): Fit {
  const left = room.freeBytes - SPARE_BYTES - WORKING_BYTES - facts.bytes;
  const most = Math.min(wanted ?? LARGEST_CONTEXT, facts.contextLength);
  let contextSize = most;
  while (contextSize > SMALLEST_CONTEXT && contextSize * facts.cacheBytesPerToken > left)
    contextSize = Math.floor(contextSize / 2);
  return {
    contextSize: Math.max(contextSize, Math.min(SMALLEST_CONTEXT, most)),
    threads: threadsFor(room.cores),
    batchSize: Math.min(BATCH, most),
  };
}

/** Memory that a model takes once it talks, with this window. */
export function memoryNeeded(facts: GgufFacts, contextSize: number): number {
  return facts.bytes + contextSize * facts.cacheBytesPerToken + WORKING_BYTES;
}
