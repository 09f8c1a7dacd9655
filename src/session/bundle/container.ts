import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { UserError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';

/**
 * One file with everything of a session: gzipped JSON lines. The first line is the header. Each content is a line
 * with its name, size and SHA-256, followed by lines of base64, each of `CHUNK` bytes except the last. The final line has
 * the SHA-256 of all lines before it. A name is one of a closed set, so that a bundle can name no other place.
 */
export const BUNDLE_VERSION = 1;

const headerSchema = z.strictObject({
  format: z.literal('aca-session-bundle'),
  version: z.literal(BUNDLE_VERSION),
  session: z.string().regex(/^[\w-]{1,64}$/),
  /** Where the session worked, and where its long outputs were kept, on the machine that exported it. */
  workingDirectory: z.string(),
  outputs: z.string(),
  /** Whether secrets were replaced by placeholders. */
  redacted: z.boolean(),
  /** How many contents follow, and their size together. */
  contents: z.int().min(1),
  bytes: z.int().min(0),
});

export type BundleHeader = z.infer<typeof headerSchema>;

/** A content of a bundle, read when it is written. */
export type Packed = { name: string; bytes: number; read(): Uint8Array };

export type Content = { name: string; bytes: Buffer };

const CHUNK = 768 * 1024;
/** Longer than any line that `pack` writes. */
const LONGEST_LINE = 2 * 1024 * 1024;
/** Few pieces per line: each is copied with those before it. */
const PIECE = 512 * 1024;
const MOST_CONTENTS = 500_000;

const NAMES = [
  /^session\.jsonl$/,
  /^undo\.jsonl$/,
  /^subagents\/[0-9a-f]{1,64}(-\d{1,6})?\.jsonl$/,
  /^objects\/[0-9a-f]{64}$/,
  /^outputs\/[\w-][\w.-]{0,150}$/,
];

const entrySchema = z.strictObject({
  name: z.string().refine((name) => NAMES.some((pattern) => pattern.test(name))),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const dataSchema = z.strictObject({ data: z.string().min(1) });
const endSchema = z.strictObject({ end: z.string() });

/** Whether a content may have this name. */
export function isBundleName(name: string): boolean {
  return entrySchema.shape.name.safeParse(name).success;
}

/** The lines of a bundle, to be gzipped. */
export function* pack(header: BundleHeader, contents: Iterable<Packed>): Generator<string> {
  const whole = createHash('sha256');
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    whole.update(text);
    return text;
  };
  yield line(header);
  for (const { name, bytes, read } of contents) {
    const content = Buffer.from(read());
    if (content.length !== bytes) throw new Error(`${name} changed while it was packed.`);
    yield line({ name, bytes, sha256: createHash('sha256').update(content).digest('hex') });
    for (let at = 0; at < content.length; at += CHUNK)
      yield line({ data: content.subarray(at, at + CHUNK).toString('base64') });
  }
  yield `${JSON.stringify({ end: whole.digest('hex') })}\n`;
}

/** The limit of what a bundle may unpack to. */
export type UnpackLimits = { bytes: number };

/** Reads a bundle and checks it: first its header, then each content. Throws a `UserError` for anything unexpected. */
export async function* unpack(
  file: string,
  limits: UnpackLimits,
): AsyncGenerator<{ header: BundleHeader; content?: Content }> {
  const reader = new BundleReader(file, limits);
  for await (const line of linesOf(file)) {
    const content = reader.take(line);
    if (reader.header && content !== null)
      yield content === 'header' ? { header: reader.header } : { header: reader.header, content };
  }
  reader.finish();
}

type Started = { name: string; bytes: number; sha256: string; parts: Buffer[]; missing: number };

/** Takes one line after the other. */
class BundleReader {
  header: BundleHeader | undefined;
  readonly #file: string;
  readonly #limits: UnpackLimits;
  readonly #whole = createHash('sha256');
  readonly #names = new Set<string>();
  #bytes = 0;
  #open: Started | undefined;
  #isEnded = false;

  constructor(file: string, limits: UnpackLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  /** A content that is complete with this line, if any. */
  take(line: Buffer): Content | 'header' | null {
    if (this.#isEnded) throw this.#refuse('something follows its end');
    const value = parseJson(line.toString('utf8'));
    if (!this.header) {
      this.header = this.#headerIn(value);
      this.#whole.update(line);
      return 'header';
    }
    const end = this.#open ? undefined : endSchema.safeParse(value).data;
    if (end) {
      this.#end(end.end, this.header);
      return null;
    }
    this.#whole.update(line);
    return this.#open ? this.#data(value, this.#open) : this.#entry(value, this.header);
  }

  finish(): void {
    if (!this.#isEnded) throw this.#refuse(this.header ? 'it is incomplete' : 'it is empty');
  }

  #headerIn(value: unknown): BundleHeader {
    const claimed = z
      .object({ format: z.literal('aca-session-bundle'), version: z.number() })
      .safeParse(value);
    if (!claimed.success) throw this.#refuse('it does not start like one');
    if (claimed.data.version > BUNDLE_VERSION)
      throw new UserError(
        `${this.#file} was written by a newer version of aca (bundle version ${claimed.data.version}).`,
        'Run `aca update`, then import it again.',
      );
    const header = headerSchema.safeParse(value).data;
    if (!header) throw this.#refuse('its header is invalid');
    if (header.contents > MOST_CONTENTS) throw this.#refuse(`it lists more than ${MOST_CONTENTS} contents`);
    if (header.bytes > this.#limits.bytes)
      throw new UserError(
        `${this.#file} would take up ${megabytes(header.bytes)}, more than the limit of ${megabytes(this.#limits.bytes)}.`,
        'Raise undoLimitMb or storageLimitMb in your settings if you trust this file.',
      );
    return header;
  }

  #entry(value: unknown, header: BundleHeader): Content | null {
    const entry = entrySchema.safeParse(value).data;
    if (!entry) throw this.#refuse('it contains something that does not belong in a bundle');
    const { name, bytes } = entry;
    if (this.#names.has(name)) throw this.#refuse(`it contains ${name} twice`);
    this.#names.add(name);
    this.#bytes += bytes;
    if (this.#names.size > header.contents || this.#bytes > header.bytes)
      throw this.#refuse('it contains more than its header says');
    this.#open = { ...entry, parts: [], missing: bytes };
    return bytes === 0 ? this.#complete(this.#open) : null;
  }

  #data(value: unknown, open: Started): Content | null {
    const data = dataSchema.safeParse(value).data;
    if (!data) throw this.#refuse(`${open.name} is incomplete`);
    const bytes = Buffer.from(data.data, 'base64');
    if (bytes.length !== Math.min(CHUNK, open.missing)) throw this.#refuse(`${open.name} has the wrong size`);
    open.parts.push(bytes);
    open.missing -= bytes.length;
    return open.missing === 0 ? this.#complete(open) : null;
  }

  #complete({ name, sha256, parts }: Started): Content {
    this.#open = undefined;
    const bytes = Buffer.concat(parts);
    const isRight = createHash('sha256').update(bytes).digest('hex') === sha256;
    if (!isRight || (name.startsWith('objects/') && name !== `objects/${sha256}`))
      throw this.#refuse(`${name} does not match its checksum`);
    return { name, bytes };
  }

  #end(digest: string, { contents, bytes }: BundleHeader): void {
    if (digest !== this.#whole.digest('hex')) throw this.#refuse('it does not match its checksum');
    if (this.#names.size !== contents || this.#bytes !== bytes) throw this.#refuse('it is incomplete');
    this.#isEnded = true;
  }

  #refuse(because: string): UserError {
    return notABundle(this.#file, because);
  }
}

export function notABundle(file: string, because: string): UserError {
  return new UserError(
    `${file} is not a valid session bundle: ${because}. Nothing was imported.`,
    'Export the session again with `aca sessions export ID --bundle`.',
  );
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE });
  const source = createReadStream(file).on('error', (error) => gunzip.destroy(error));
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of source.pipe(gunzip)) {
      let bytes: Buffer = Buffer.concat([rest, piece as Buffer]);
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10)) {
        yield bytes.subarray(0, end + 1);
        bytes = bytes.subarray(end + 1);
      }
      if (bytes.length > LONGEST_LINE) throw notABundle(file, 'a line is too long');
      rest = bytes;
    }
  } catch (error) {
    throw readError(error, file);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (rest.length > 0) throw notABundle(file, 'it is incomplete');
}

function readError(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return notABundle(file, 'it is incomplete');
  if (code?.startsWith('Z_')) return notABundle(file, 'it is not gzipped, or damaged');
  if (code?.startsWith('E') && !(error instanceof UserError))
    return new UserError(`${file} cannot be read: ${message}`, 'Check the path and try again.', {
      cause: error,
    });
  return error;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}
