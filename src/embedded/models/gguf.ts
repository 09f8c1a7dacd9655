import { open } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';

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

/** Reads the header of a model file; the weights are not read. */
export async function readGguf(file: string): Promise<GgufFacts> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      `There is no model at ${file} (${error.code ?? error.message}).`,
      'Specify a .gguf file, or run `aca models list`.',
      { cause: error },
    );
  });
  try {
    const { size, mtimeMs } = await handle.stat();
    const reader = new HeadReader((buffer, at) => handle.read(buffer, 0, buffer.length, at), size);
    return factsOf(await metadataOf(reader), { file, bytes: size, modified: Math.round(mtimeMs) });
  } catch (error) {
    if (!(error instanceof NotGguf)) throw error;
    throw new UserError(
      `${path.basename(file)} is not a valid model file: ${error.message}.`,
      'A complete file in GGUF format is needed. Download it again.',
      { cause: error },
    );
  } finally {
    await handle.close();
  }
}

class NotGguf extends Error {}

async function metadataOf(reader: HeadReader): Promise<Map<string, Value>> {
  if ((await reader.bytes(4)).toString('latin1') !== 'GGUF')
    throw new NotGguf('it does not start with a GGUF header');
  const version = await reader.u32();
  if (version < 2 || version > 3) throw new NotGguf(`unknown version ${version}`);
  await reader.u64();
  const count = await reader.u64();
  const values = new Map<string, Value>();
  for (let i = 0; i < count; i++) {
    const key = await reader.string();
    values.set(key, await reader.value(await reader.u32()));
  }
  return values;
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
    if (length > LARGEST_HEAD) throw new NotGguf('it contains an invalid length');
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
  if (!scalar) throw new NotGguf(`it contains a value of unknown type ${type}`);
  return scalar;
}
