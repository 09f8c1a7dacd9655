import { UserError } from '../contract/errors.ts';
import { SAMPLE_RATE } from './pcm.ts';

/** Longer than the header of any recorder. */
const MAX_HEADER = 4_096;
const AU_HEADER = 24;

type Format = { offset: number; rate: number; channels: number; bits: number; bigEndian: boolean };

/** `undefined` when more bytes are needed. */
function formatOf(head: Buffer): Format | null | undefined {
  if (head.length < 4) return undefined;
  const magic = head.toString('latin1', 0, 4);
  // PipeWire writes this format to a pipe, in the byte order of the machine.
  if (magic === '.snd' || magic === 'dns.') return auFormat(head, magic === '.snd');
  return magic === 'RIFF' ? wavFormat(head) : null;
}

function auFormat(head: Buffer, bigEndian: boolean): Format | undefined {
  if (head.length < AU_HEADER) return undefined;
  const field = (i: number) => (bigEndian ? head.readUInt32BE(4 * i) : head.readUInt32LE(4 * i));
  const LINEAR_16 = 3;
  return {
    offset: field(1),
    bits: field(3) === LINEAR_16 ? 16 : 0,
    rate: field(4),
    channels: field(5),
    bigEndian,
  };
}

function wavFormat(head: Buffer): Format | undefined {
  const format = head.indexOf('fmt ', 12, 'latin1');
  const data = head.indexOf('data', 12, 'latin1');
  if (format < 0 || data < 0 || head.length < data + 8) return undefined;
  return {
    offset: data + 8,
    channels: head.readUInt16LE(format + 10),
    rate: head.readUInt32LE(format + 12),
    bits: head.readUInt16LE(format + 22),
    bigEndian: false,
  };
}

function check({ rate, channels, bits }: Format): void {
  if (rate === SAMPLE_RATE && channels === 1 && bits === 16) return;
  throw new UserError(
    `The recorder delivers ${rate} Hz, ${channels} channels, ${bits || 'not 16'} bits.`,
    `Make it deliver ${SAMPLE_RATE} Hz, 1 channel, 16 bits.`,
  );
}

/** The samples of a recorder, without the header that some write first. Each chunk holds whole samples. */
export async function* samplesOf(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let skip = 0;
  let format: Format | null | undefined;
  for await (const chunk of audio) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    if (format === undefined) {
      format = formatOf(rest) ?? (rest.length < MAX_HEADER ? undefined : null);
      if (format === undefined) {
        if (!mayBeHeader(rest)) format = null;
        else continue;
      }
      if (format) {
        check(format);
        skip = format.offset;
      }
    }
    const dropped = Math.min(skip, rest.length);
    skip -= dropped;
    const whole = rest.length - ((rest.length - dropped) % 2);
    const samples = rest.subarray(dropped, whole);
    rest = rest.subarray(whole);
    if (samples.length > 0) yield format?.bigEndian ? Buffer.from(samples).swap16() : samples;
  }
}

function mayBeHeader(head: Buffer): boolean {
  const begun = head.toString('latin1', 0, 4);
  return ['RIFF', '.snd', 'dns.'].some((magic) => magic.startsWith(begun));
}
