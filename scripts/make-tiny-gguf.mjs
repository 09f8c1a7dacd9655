// Writes a tiny model for tests of the real llama.cpp: random weights, a real byte-level tokenizer with
// merges, a chat template with tools. The same arguments give the same bytes.
// A chain makes it predictable: each token in it is followed by the next, whatever came before.
// usage: node scripts/make-tiny-gguf.mjs OUT.gguf [--chain '["a","b"]' ...] [--width 64] [--layers 2]
// [--context 4096]
// [--template none] [--seed 1]
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

const SPECIALS = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<tool_call>',
  '</tool_call>',
  '<think>',
  '</think>',
];
const CONTROL = 3;
const USER_DEFINED = 4;
const NORMAL = 1;
const HEADS = 4;
const KV_HEADS = 2;

/** Training text for the tokenizer's merges. */
const CORPUS = `You are a coding assistant. Read the file and tell what it does. Run the tests. Find the function.
{"name": "Read", "arguments": {"file_path": "src/main.ts"}} {"name": "Bash", "arguments": {"command": "npm test"}}
{"type": "function", "function": {"name": "Glob", "description": "Find files", "parameters": {"type": "object",
"properties": {"pattern": {"type": "string", "description": "What to look for"}}, "required": ["pattern"]}}}
Hello world. The assistant answers the user. export function import const return string number true false null`;

/** Like most open models: tools as JSON in the system turn, calls and results in tags. */
export const TEMPLATE = `{%- if tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
{{- 'Tools, one JSON schema a line:\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
{{- '\\n</tools>\\nCall one so:\\n<tool_call>\\n{"name": NAME, "arguments": OBJECT}\\n</tool_call><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant\\n' + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;

/**
 * @param {string} out
 * @param {{ chains?: string[][], width?: number, layers?: number, context?: number, vocabulary?: number,
 *   template?: string | null, seed?: number, idleMerges?: number }} options
 */
export async function writeTinyModel(out, options) {
  await mkdir(path.dirname(path.resolve(out)), { recursive: true });
  await writeFile(out, tinyModel(options));
}

function tinyModel({
  chains = [],
  width = 64,
  layers = 2,
  context = 4096,
  vocabulary = 640,
  template = TEMPLATE,
  seed = 1,
  idleMerges = 0,
}) {
  const { tokens, types, merges } = tokenizer(vocabulary);
  const weights = modelWeights({ tokens, chains, width, layers, seed });
  const head = tokens.length;
  const id = (text) => tokens.indexOf(text);
  const metadata = [
    text('general.architecture', 'llama'),
    text('general.name', 'tiny fixture'),
    text('general.license', 'mit'),
    number('general.file_type', 0),
    number('llama.context_length', context),
    number('llama.embedding_length', width),
    number('llama.block_count', layers),
    number('llama.feed_forward_length', width * 2),
    number('llama.attention.head_count', HEADS),
    number('llama.attention.head_count_kv', KV_HEADS),
    field('llama.attention.layer_norm_rms_epsilon', 6, float(1e-5)),
    number('llama.rope.dimension_count', width / HEADS),
    number('llama.vocab_size', head),
    text('tokenizer.ggml.model', 'gpt2'),
    text('tokenizer.ggml.pre', 'gpt-2'),
    list('tokenizer.ggml.tokens', 8, tokens.map(string)),
    list('tokenizer.ggml.token_type', 5, types.map(u32)),
    list('tokenizer.ggml.merges', 8, [...merges.map(string), ...idle(idleMerges)]),
    number('tokenizer.ggml.bos_token_id', id('<|endoftext|>')),
    number('tokenizer.ggml.eos_token_id', id('<|im_end|>')),
    field('tokenizer.ggml.add_bos_token', 7, Buffer.from([0])),
    ...(template === null ? [] : [text('tokenizer.chat_template', template)]),
  ];
  return gguf(metadata, weights);
}

/** The bytes as byte-level tokenizers spell them, merges learnt from the corpus, and the special tokens. */
function tokenizer(size) {
  const printable = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || byte > 173;
  const hidden = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !printable(byte));
  const spelling = Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : 256 + hidden.indexOf(byte)),
  );
  const tokens = [...spelling];
  const merges = [];
  let words = (CORPUS.match(/ ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu) ?? []).map((word) =>
    [...Buffer.from(word)].map((byte) => spelling[byte]),
  );
  while (tokens.length < size - SPECIALS.length) {
    const counts = new Map();
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i++) {
        const pair = `${word[i]} ${word[i + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const best = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
    if (best === undefined) break;
    const joined = best.replace(' ', '');
    merges.push(best);
    if (!tokens.includes(joined)) tokens.push(joined);
    words = words.map((word) => mergeIn(word, best.split(' ')));
  }
  const types = tokens.map(() => NORMAL);
  for (const special of SPECIALS) {
    tokens.push(special);
    types.push(special.startsWith('<|') ? CONTROL : USER_DEFINED);
  }
  return { tokens, types, merges };
}

/** Merges that never apply, but take as long to load as others. */
function* idle(count) {
  for (let i = 0; i < count; i++) yield string(`${i} .`);
}

function mergeIn(word, [first, second]) {
  const merged = [];
  for (let i = 0; i < word.length; i++) {
    const hit = word[i] === first && word[i + 1] === second;
    merged.push(hit ? first + second : word[i]);
    if (hit) i++;
  }
  return merged;
}

/**
 * With chains the layers contribute almost nothing: the output is nearly the last token's own vector, and the
 * output row of the token that should follow points the same way.
 */
function modelWeights({ tokens, chains, width, layers, seed }) {
  const random = gaussians(seed);
  const whisper = chains.length > 0 ? 0.02 : 1;
  const tensors = [];
  const matrix = (name, [inner, outer], scale) => {
    const values = Float32Array.from({ length: inner * outer }, () => random() * scale);
    tensors.push({ name, dims: [inner, outer], values });
    return values;
  };
  const ones = (name) => tensors.push({ name, dims: [width], values: new Float32Array(width).fill(1) });
  const usual = 1 / Math.sqrt(width);
  const kvWidth = (width / HEADS) * KV_HEADS;

  const embedding = matrix('token_embd.weight', [width, tokens.length], 1);
  for (let layer = 0; layer < layers; layer++) {
    const name = (part) => `blk.${layer}.${part}.weight`;
    ones(name('attn_norm'));
    matrix(name('attn_q'), [width, width], usual);
    matrix(name('attn_k'), [width, kvWidth], usual);
    matrix(name('attn_v'), [width, kvWidth], usual);
    matrix(name('attn_output'), [width, width], usual * whisper);
    ones(name('ffn_norm'));
    matrix(name('ffn_gate'), [width, width * 2], usual);
    matrix(name('ffn_up'), [width, width * 2], usual);
    matrix(name('ffn_down'), [width * 2, width], usual * whisper);
  }
  ones('output_norm.weight');
  const output = matrix('output.weight', [width, tokens.length], usual);
  for (const chain of chains) {
    for (let i = 0; i + 1 < chain.length; i++) {
      const [from, to] = [tokens.indexOf(chain[i]), tokens.indexOf(chain[i + 1])];
      if (from < 0 || to < 0)
        throw new Error(`No token ${JSON.stringify(from < 0 ? chain[i] : chain[i + 1])}.`);
      for (let k = 0; k < width; k++) output[to * width + k] += embedding[from * width + k];
    }
  }
  return tensors;
}

function gaussians(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
}

function gguf(metadata, tensors) {
  let offset = 0;
  const infos = tensors.map(({ name, dims, values }) => {
    const info = Buffer.concat([string(name), u32(dims.length), ...dims.map(u64), u32(0), u64(offset)]);
    offset += values.byteLength + padding(values.byteLength);
    return info;
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata,
    ...infos,
  ]);
  const body = tensors.flatMap(({ values }) => [
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    Buffer.alloc(padding(values.byteLength)),
  ]);
  return Buffer.concat([head, Buffer.alloc(padding(head.length)), ...body]);
}

function padding(length) {
  return (32 - (length % 32)) % 32;
}

function field(key, type, value) {
  return Buffer.concat([string(key), u32(type), value]);
}

function number(key, value) {
  return field(key, 4, u32(value));
}

function text(key, value) {
  return field(key, 8, string(value));
}

function list(key, type, items) {
  return field(key, 9, Buffer.concat([u32(type), u64(items.length), ...items]));
}

function string(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

// By file name: when this file is bundled into another script, its URL is that of the script.
if (path.basename(process.argv[1] ?? '') === 'make-tiny-gguf.mjs') {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      chain: { type: 'string', multiple: true, default: [] },
      width: { type: 'string', default: '64' },
      layers: { type: 'string', default: '2' },
      context: { type: 'string', default: '4096' },
      seed: { type: 'string', default: '1' },
      template: { type: 'string' },
    },
  });
  const [out = 'tiny.gguf'] = positionals;
  await writeTinyModel(out, {
    chains: values.chain.map((chain) => JSON.parse(chain)),
    width: Number(values.width),
    layers: Number(values.layers),
    context: Number(values.context),
    seed: Number(values.seed),
    ...(values.template === 'none' && { template: null }),
  });
  console.log(out);
}
