import type { GgufFacts } from './gguf.ts';

/** The resources currently available on a machine. */
export type Room = {
  /** Free or reclaimable memory in bytes. */
  freeBytes: number;
  cores: number;
  /** The memory is that of a graphics card, which reads long prompts quickly. */
  isGpu?: boolean;
};

export type Fit = { contextSize: number; threads: number; batchSize: number };

const SMALLEST_CONTEXT = 2048;
const LARGEST_CONTEXT = 32_768;
/** Reserved for the rest of the machine. */
const SPARE_BYTES = 512 * 1024 * 1024;
/** Memory for the computation besides the weights and the attention cache. */
const WORKING_BYTES = 256 * 1024 * 1024;
const BATCH = 512;
const GPU_BATCH = 2048;

/** Leaves one core for everything else: with all of them, llama.cpp and the rest would block each other. */
export function threadsFor(cores: number): number {
  return Math.max(1, cores - 1);
}

/**
 * The largest window that fits into memory: halved until it fits next to the weights. Weights are
 * memory-mapped and can be evicted, so a machine with too little memory gets a small window and a slow model,
 * not an error.
 */
export function fitModel(facts: GgufFacts, room: Room, wanted?: number): Fit {
  const left = room.freeBytes - SPARE_BYTES - WORKING_BYTES - facts.bytes;
  const most = Math.min(wanted ?? (room.isGpu ? facts.contextLength : LARGEST_CONTEXT), facts.contextLength);
  let contextSize = most;
  while (contextSize > SMALLEST_CONTEXT && contextSize * facts.cacheBytesPerToken > left)
    contextSize = Math.floor(contextSize / 2);
  return {
    contextSize: Math.max(contextSize, Math.min(SMALLEST_CONTEXT, most)),
    threads: threadsFor(room.cores),
    batchSize: Math.min(room.isGpu ? GPU_BATCH : BATCH, most),
  };
}

/** Memory that a model needs for chatting, with this window. */
export function memoryNeeded(facts: GgufFacts, contextSize: number): number {
  return facts.bytes + contextSize * facts.cacheBytesPerToken + WORKING_BYTES;
}
