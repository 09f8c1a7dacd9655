/** What recorders deliver and servers get: 16-bit little-endian samples, one channel. Speech models use this rate. */
export const SAMPLE_RATE = 16_000;
const BYTES_PER_SAMPLE = 2;
const WAV_HEADER = 44;

/** Below this, a level is shown as nothing. */
const QUIETEST_DB = -60;

export function durationMs(bytes: number): number {
  return (bytes / BYTES_PER_SAMPLE / SAMPLE_RATE) * 1000;
}

export function bytesIn(ms: number): number {
  return Math.floor((ms / 1000) * SAMPLE_RATE) * BYTES_PER_SAMPLE;
}

/** Root mean square in decibels: 0 is the loudest possible, -Infinity is digital silence. */
export function decibels(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const count = Math.floor(pcm.byteLength / BYTES_PER_SAMPLE);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (view.getInt16(i * BYTES_PER_SAMPLE, true) / 32_768) ** 2;
  return count === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(sum / count);
}

/** For a meter: 0 to 1. */
export function meterLevel(db: number): number {
  return Math.min(1, Math.max(0, 1 - db / QUIETEST_DB));
}

export function wavOf(pcm: Uint8Array): Buffer {
  const header = Buffer.alloc(WAV_HEADER);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER - 8 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  // Uncompressed, one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, pcm]);
}
