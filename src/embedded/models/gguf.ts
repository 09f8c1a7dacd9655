import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { fileSize } from '../../lib/text/file-size.ts';
import { otherParts, sizeOfAll } from './split-model.ts';
import { type Tensor, weightsEnd } from './tensor-size.ts';

/** The metadata of a model file that is used here. */
export type GgufFacts = {
  file: string;
  bytes: number;
  /** When it was last written, in milliseconds. */
  modified: number;
  architecture: string;
  name: string | null;
  license: string | null;
  /** The weight format, such as `Q4_K_M`. */
  quantisation: string | null;
  /** The context length it was trained for, in tokens. */
  contextLength: number;
  layers: number;
  /** Memory for the attention cache per token, over all layers, at 16 bits. */
  cacheBytesPerToken: number;
  /** An embedding model; it cannot chat. */
  isEmbedding: boolean;
  chatTemplate: string | null;
};

type Value = string | number | boolean | Value[] | null;

/** How much of a list is kept; vocabularies have hundreds of thousands of entries. */
const LIST_KEPT = 64;
const CHUNK = 1 << 20;
/** The largest vocabularies take some megabytes; anything above this is damaged. */
const LARGEST_HEAD = 256 << 20;

const MOST_DIMENSIONS = 8;

const QUANTISATIONS: Record<number, string> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  30: 'IQ4_XS',
  32: 'BF16',
};

const EMBEDDING_ARCHITECTURES = /bert|embed/i;

/** Reads the header of a model file; the weights are not read, but they must be there. */
export async function readGguf(file: string): Promise<GgufFacts> {
  try {
    const { size, mtimeMs } = await regularFile(file);
    const handle = await open(file, 'r');
    try {
      const reader = new HeadReader((buffer, at) => handle.read(buffer, 0, buffer.length, at), size);
      const { values, tensors } = await headOf(reader);
      const needed = weightsEnd(tensors, reader.position, values.get('general.alignment'));
      if (size < needed) throw new NotGguf(`it is incomplete, ${fileSize(size)} of ${fileSize(needed)}`);
      const bytes = size + (await otherBytes(file, values));
      return factsOf(values, { file, bytes, modified: Math.round(mtimeMs) });
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new UserError(
        `There is no model at ${file}.`,
        'Specify a .gguf file, or run `aca models list`.',
        {
          cause: error,
        },
      );
    }
    if (!(error instanceof NotGguf) && code === undefined) throw error;
    const why = error instanceof NotGguf ? error.message : `it cannot be read (${code})`;
    const hint = error instanceof NotGguf ? error.hint : 'Check who may read it.';
    throw new UserError(`${path.basename(file)} is not a valid model file: ${why}.`, hint, { cause: error });
  }
}

/** Anything else cannot be mapped into memory; opening a pipe would even block. */
async function regularFile(file: string): Promise<{ size: number; mtimeMs: number }> {
  const found = await stat(file);
  if (found.isDirectory()) throw new NotGguf('it is a folder', 'Specify the .gguf file in it.');
  if (!found.isFile()) throw new NotGguf('it is not a regular file', 'Specify a .gguf file on a disk.');
  if (found.size === 0) throw new NotGguf('it is empty');
  return found;
}

/** The size of the other files of a split model. */
async function otherBytes(file: string, values: ReadonlyMap<string, Value>): Promise<number> {
  const count = Number(values.get('split.count') ?? 1);
  const number = Number(values.get('split.no') ?? 0);
  if (number > 0)
    throw new NotGguf(`it is part ${number + 1} of ${count} of a model`, 'Specify the first part.');
  const all = await sizeOfAll(otherParts(file, count));
  if ('bytes' in all) return all.bytes;
  const name = path.basename(all.missing);
  throw new NotGguf(`it has ${count} parts, and ${name} is missing`, `Put ${name} next to it.`);
}

class NotGguf extends Error {
  readonly hint: string;

  constructor(message: string, hint = 'Remove it and download it again.') {
    super(message);
    this.hint = hint;
  }
}

/** How other files begin that are taken for a model. */
const OTHER_FORMATS: [begin: RegExp, message: string, hint?: string][] = [
  [/^version https:\/\/git-lfs/, 'it is only a Git LFS pointer', 'Download the file itself: git lfs pull'],
  [/^\s*<(!doctype|html|\?xml)/i, 'it is a web page, not the file behind it'],
  [/^\s*\{/, 'it is JSON, perhaps the error message of a server'],
  [/^PK/, 'it is a zip archive, such as PyTorch writes', 'Use a GGUF version of this model.'],
  [/^.{8}\{"/s, 'it is in the safetensors format', 'Use a GGUF version of this model.'],
  [/^(ggml|lmgg|ggjt|tjgg|ggmf|fmgg)/, 'it is in an old format', 'Use a GGUF version of this model.'],
];

async function headOf(reader: HeadReader): Promise<{ values: Map<string, Value>; tensors: Tensor[] }> {
  const begin = (await reader.peek(64)).toString('latin1');
  if (!begin.startsWith('GGUF')) {
    const [, message, hint] = OTHER_FORMATS.find(([pattern]) => pattern.test(begin)) ?? [];
    throw new NotGguf(message ?? 'it does not start with a GGUF header', hint);
  }
  await reader.bytes(4);
  const version = await reader.u32();
  if (version < 2 || version > 3) throw new NotGguf(`format version ${version} is not supported`);
  const tensorCount = await reader.u64();
  const count = await reader.u64();
  const values = new Map<string, Value>();
  for (let i = 0; i < count; i++) {
    const key = await reader.string();
    values.set(key, await reader.value(await reader.u32()));
  }
  const tensors: Tensor[] = [];
  for (let i = 0; i < tensorCount; i++) tensors.push(await reader.tensor());
  if (tensors.length === 0) throw new NotGguf('it holds no weights', 'Specify the file with the weights.');
  return { values, tensors };
}

function factsOf(
  values: ReadonlyMap<string, Value>,
  stat: Pick<GgufFacts, 'file' | 'bytes' | 'modified'>,
): GgufFacts {
  const text = (key: string) => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const architecture = text('general.architecture') ?? 'unknown';
  // Some files have one value per layer.
  const number = (key: string): number | null => {
    const value = values.get(`${architecture}.${key}`);
    const all = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'number');
    return all.length > 0 ? Math.max(...all) : null;
  };
  const layers = number('block_count') ?? 1;
  const heads = number('attention.head_count') ?? 1;
  const kvHeads = number('attention.head_count_kv') ?? heads;
  const headWidth = (number('embedding_length') ?? heads) / heads;
  const keyWidth = number('attention.key_length') ?? headWidth;
  const valueWidth = number('attention.value_length') ?? headWidth;
  const pooling = number('pooling_type') ?? 0;
  const fileType = values.get('general.file_type');
  return {
    ...stat,
    architecture,
    name: text('general.name'),
    license: text('general.license'),
    quantisation: typeof fileType === 'number' ? (QUANTISATIONS[fileType] ?? null) : null,
    contextLength: number('context_length') ?? 2048,
    layers,
    cacheBytesPerToken: Math.ceil(layers * kvHeads * (keyWidth + valueWidth) * 2),
    isEmbedding: EMBEDDING_ARCHITECTURES.test(architecture) || pooling > 0,
    chatTemplate: text('tokenizer.chat_template'),
  };
}

const SCALARS: Record<number, [size: number, read: (bytes: Buffer) => Value]> = {
  0: [1, (bytes) => bytes.readUInt8()],
  1: [1, (bytes) => bytes.readInt8()],
  2: [2, (bytes) => bytes.readUInt16LE()],
  3: [2, (bytes) => bytes.readInt16LE()],
  4: [4, (bytes) => bytes.readUInt32LE()],
  5: [4, (bytes) => bytes.readInt32LE()],
  6: [4, (bytes) => bytes.readFloatLE()],
  7: [1, (bytes) => bytes.readUInt8() !== 0],
  10: [8, (bytes) => Number(bytes.readBigUInt64LE())],
  11: [8, (bytes) => Number(bytes.readBigInt64LE())],
  12: [8, (bytes) => bytes.readDoubleLE()],
};
const STRING = 8;
const LIST = 9;

/** Reads forward in large chunks, and never past the end. */
class HeadReader {
  readonly #read: (buffer: Buffer, at: number) => Promise<{ bytesRead: number }>;
  readonly #size: number;
  #held: Buffer = Buffer.alloc(0);
  #at = 0;
  #next = 0;

  constructor(read: (buffer: Buffer, at: number) => Promise<{ bytesRead: number }>, size: number) {
    this.#read = read;
    this.#size = size;
  }

  async bytes(length: number): Promise<Buffer> {
    if (this.#held.length - this.#at < length) await this.#fill(length);
    this.#at += length;
    return this.#held.subarray(this.#at - length, this.#at);
  }

  /** The next bytes, or as many as there are. */
  async peek(length: number): Promise<Buffer> {
    const found = await this.bytes(Math.min(length, this.#size));
    this.#at = 0;
    return found;
  }

  /** How much of the file has been read. */
  get position(): number {
    return this.#next - this.#held.length + this.#at;
  }

  async tensor(): Promise<Tensor> {
    await this.string();
    const dimensions = await this.u32();
    if (dimensions > MOST_DIMENSIONS) throw new NotGguf('it is damaged');
    let elements = 1;
    for (let i = 0; i < dimensions; i++) elements *= await this.u64();
    return { elements, type: await this.u32(), offset: await this.u64() };
  }

  async u32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  async u64(): Promise<number> {
    return Number((await this.bytes(8)).readBigUInt64LE());
  }

  async string(): Promise<string> {
    return (await this.bytes(await this.u64())).toString('utf8');
  }

  async value(type: number): Promise<Value> {
    if (type === STRING) return this.string();
    if (type === LIST) return this.#list(await this.u32(), await this.u64());
    const scalar = scalarOf(type);
    return scalar[1](await this.bytes(scalar[0]));
  }

  async #list(type: number, count: number): Promise<Value[]> {
    const items: Value[] = [];
    for (let i = 0; i < Math.min(count, LIST_KEPT); i++) items.push(await this.value(type));
    const rest = Math.max(count - LIST_KEPT, 0);
    if (type === STRING) await this.#skipStrings(rest);
    else if (type !== LIST) await this.#skip(rest * scalarOf(type)[0]);
    else for (let i = 0; i < rest; i++) await this.value(type);
    return items;
  }

  /** Skips a vocabulary without awaiting every word. */
  async #skipStrings(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      if (this.#held.length - this.#at < 8) await this.#fill(8);
      const length = Number(this.#held.readBigUInt64LE(this.#at));
      this.#at += 8;
      if (this.#held.length - this.#at < length) await this.#skip(length);
      else this.#at += length;
    }
  }

  async #skip(length: number): Promise<void> {
    for (let left = length; left > 0; left -= CHUNK) await this.bytes(Math.min(left, CHUNK));
  }

  async #fill(length: number): Promise<void> {
    if (length > LARGEST_HEAD) throw new NotGguf('it is damaged');
    const rest = this.#held.subarray(this.#at);
    const more = Buffer.alloc(Math.min(Math.max(CHUNK, length), Math.max(this.#size - this.#next, 0)));
    const { bytesRead } = await this.#read(more, this.#next);
    this.#next += bytesRead;
    this.#held = Buffer.concat([rest, more.subarray(0, bytesRead)]);
    this.#at = 0;
    if (this.#held.length < length) throw new NotGguf('it is incomplete');
  }
}

function scalarOf(type: number): [size: number, read: (bytes: Buffer) => Value] {
  const scalar = SCALARS[type];
  if (!scalar) throw new NotGguf('it is damaged');
  return scalar;
}
