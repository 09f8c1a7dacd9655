/** One tensor in the header of a model file; the offset is relative to the weights. */
export type Tensor = { elements: number; type: number; offset: number };

const DEFAULT_ALIGNMENT = 32;

/** By the type's number in ggml: how many elements are stored together, and in how many bytes. */
const BLOCKS: Record<number, [elements: number, bytes: number]> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
};

/** The least size of a file with these tensors, whose header ends at `headEnd`. */
export function weightsEnd(tensors: readonly Tensor[], headEnd: number, alignment: unknown): number {
  const step = typeof alignment === 'number' && alignment > 0 ? alignment : DEFAULT_ALIGNMENT;
  const start = Math.ceil(headEnd / step) * step;
  return tensors.reduce((end, { elements, type, offset }) => {
    // A type that is not known here takes at least nothing.
    const [together, bytes] = BLOCKS[type] ?? [1, 0];
    return Math.max(end, start + offset + Math.ceil(elements / together) * bytes);
  }, start);
}
