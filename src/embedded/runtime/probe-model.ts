/**
 * A model of a few kilobytes whose weights are all zero, in the GGUF format: enough to see whether a backend computes.
 * It has every kind of operation of a real one.
 */
const WIDTH = 256;
const HEADS = 4;
const LAYERS = 1;

const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, list: 9 } as const;

export function probeModel(): Buffer {
  // Spelled as byte-level tokenizers do; the text of the probe has no other characters.
  const tokens = ['a', 'b', 'ab', '<|end|>'];
  const metadata = [
    field('general.architecture', TYPES.text, text('llama')),
    field('llama.context_length', TYPES.u32, u32(512)),
    field('llama.embedding_length', TYPES.u32, u32(WIDTH)),
    field('llama.block_count', TYPES.u32, u32(LAYERS)),
    field('llama.feed_forward_length', TYPES.u32, u32(WIDTH)),
    field('llama.attention.head_count', TYPES.u32, u32(HEADS)),
    field('llama.attention.head_count_kv', TYPES.u32, u32(HEADS)),
    field('llama.attention.layer_norm_rms_epsilon', TYPES.f32, f32(1e-5)),
    field('llama.rope.dimension_count', TYPES.u32, u32(WIDTH / HEADS)),
    field('llama.vocab_size', TYPES.u32, u32(tokens.length)),
    field('tokenizer.ggml.model', TYPES.text, text('gpt2')),
    field('tokenizer.ggml.pre', TYPES.text, text('gpt-2')),
    field('tokenizer.ggml.tokens', TYPES.list, list(TYPES.text, tokens.map(text))),
    field('tokenizer.ggml.token_type', TYPES.list, list(TYPES.i32, [1, 1, 1, 3].map(u32))),
    field('tokenizer.ggml.merges', TYPES.list, list(TYPES.text, [text('a b')])),
    field('tokenizer.ggml.bos_token_id', TYPES.u32, u32(tokens.length - 1)),
    field('tokenizer.ggml.eos_token_id', TYPES.u32, u32(tokens.length - 1)),
    field('tokenizer.ggml.add_bos_token', TYPES.bool, Buffer.from([0])),
  ];
  const square = [WIDTH, WIDTH];
  const layers = Array.from({ length: LAYERS }, (_, layer): [name: string, dims: number[]][] => [
    [`blk.${layer}.attn_norm`, [WIDTH]],
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((part): [string, number[]] => [
      `blk.${layer}.${part}`,
      square,
    ]),
    [`blk.${layer}.ffn_norm`, [WIDTH]],
    ...['ffn_gate', 'ffn_up', 'ffn_down'].map((part): [string, number[]] => [`blk.${layer}.${part}`, square]),
  ]).flat();
  return file(metadata, [
    ['token_embd', [WIDTH, tokens.length]],
    ...layers,
    ['output_norm', [WIDTH]],
    ['output', [WIDTH, tokens.length]],
  ]);
}

function file(
  metadata: readonly Buffer[],
  tensors: readonly [name: string, dims: readonly number[]][],
): Buffer {
  let size = 0;
  const infos = tensors.map(([name, dims]) => {
    const at = size;
    size += dims.reduce((product, dim) => product * dim, 4);
    return Buffer.concat([text(`${name}.weight`), u32(dims.length), ...dims.map(u64), u32(0), u64(at)]);
  });
  const counts = [u32(3), u64(tensors.length), u64(metadata.length)];
  const head = Buffer.concat([Buffer.from('GGUF'), ...counts, ...metadata, ...infos]);
  const padding = (32 - (head.length % 32)) % 32;
  return Buffer.concat([head, Buffer.alloc(padding + size)]);
}

function field(key: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([text(key), u32(type), value]);
}

function list(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(type), u64(items.length), ...items]);
}

function text(value: string): Buffer {
  return Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
