export const TEMPLATE: string;

export function writeTinyModel(
  out: string,
  options: {
    /** Each token of a chain is followed by the next. */
    chains?: string[][];
    width?: number;
    layers?: number;
    context?: number;
    vocabulary?: number;
    /** The chat template; null for none. */
    template?: string | null;
    seed?: number;
    /** Merges that never apply: a million of them take llama.cpp seconds to load. */
    idleMerges?: number;
  },
): Promise<void>;
