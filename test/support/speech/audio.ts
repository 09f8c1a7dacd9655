/** Uncompressed audio, as a WAV file holds it. */
export type Wav = { rate: number; channels: number; bits: number; pcm: Buffer };

/** Throws if it is not a WAV file whose lengths are right. */
export function readWav(file: Buffer): Wav {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('not a WAV file');
  if (file.readUInt32LE(4) !== file.length - 8) throw new Error('the length in the RIFF header is wrong');
  let format: Omit<Wav, 'pcm'> | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const body = file.subarray(at + 8, at + 8 + size);
    if (body.length !== size) throw new Error(`the chunk ${name} is cut off`);
    if (name === 'fmt ') {
      if (body.readUInt16LE(0) !== 1) throw new Error('not PCM');
      format = { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    }
    if (name === 'data') {
      if (!format) throw new Error('no format before the data');
      return { ...format, pcm: body };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('no data');
}

export function samplesIn(pcm: Buffer): number[] {
  return Array.from({ length: Math.floor(pcm.length / 2) }, (_, i) => pcm.readInt16LE(2 * i));
}

export function pcmOf(samples: readonly number[]): Buffer {
  const pcm = Buffer.alloc(2 * samples.length);
  samples.forEach((sample, i) => {
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample))), 2 * i);
  });
  return pcm;
}

/** By linear interpolation. */
export function resampled(samples: readonly number[], from: number, to: number): number[] {
  return Array.from({ length: Math.floor((samples.length * to) / from) }, (_, i) => {
    const at = (i * from) / to;
    const [left = 0, right = left] = samples.slice(Math.floor(at), Math.floor(at) + 2);
    return left + (right - left) * (at % 1);
  });
}

/** How loud it is in each 20 ms at 16 kHz. */
function envelope(pcm: Buffer): number[] {
  const samples = samplesIn(pcm);
  const FRAME = 320;
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, i) =>
    Math.sqrt(samples.slice(i * FRAME, (i + 1) * FRAME).reduce((sum, one) => sum + one * one, 0) / FRAME),
  );
}

/** How alike the loudness of two recordings runs, from -1 to 1, wherever the shorter is in the longer one. */
export function likeness(a: Buffer, b: Buffer): number {
  const [short, long] = [envelope(a), envelope(b)].sort((one, other) => one.length - other.length);
  if (!short || !long || short.length === 0) return 0;
  const shifts = Array.from({ length: long.length - short.length + 1 }, (_, shift) => shift);
  return Math.max(...shifts.map((shift) => correlation(short, long.slice(shift, shift + short.length))));
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [both, ones, others] = [0, 0, 0];
  a.forEach((one, i) => {
    const [da, db] = [one - ma, (b[i] ?? 0) - mb];
    both += da * db;
    ones += da * da;
    others += db * db;
  });
  return ones === 0 || others === 0 ? 0 : both / Math.sqrt(ones * others);
}
