import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pcmOf, readWav } from '../../test/support/speech/audio.ts';
import { samplesOf } from './audio-stream.ts';
import { decibels, meterLevel, wavOf } from './pcm.ts';

const samples = () => fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 500 });

test('a WAV file holds the samples, in a format that others read', () => {
  fc.assert(
    fc.property(samples(), (list) => {
      const pcm = pcmOf(list);
      expect(readWav(wavOf(pcm))).toEqual({ rate: 16_000, channels: 1, bits: 16, pcm });
    }),
  );
});

test('levels are in decibels: full scale is 0, half of it 6 less, silence has none', () => {
  const level = (sample: number) => decibels(pcmOf(Array(100).fill(sample)));
  expect(level(-32_768)).toBe(0);
  expect(level(16_384)).toBeCloseTo(-6.02, 2);
  expect([level(0), decibels(Buffer.alloc(0))]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  expect([meterLevel(0), meterLevel(-30), meterLevel(-90), meterLevel(level(0))]).toEqual([1, 0.5, 0, 0]);
});

describe('what recorders write', () => {
  const au = (pcm: Buffer, { bigEndian = true, rate = 16_000 } = {}) => {
    const fields = [24 + 4, pcm.length, 3, rate, 1];
    const header = Buffer.alloc(28);
    header.write(bigEndian ? '.snd' : 'dns.', 'latin1');
    fields.forEach((field, i) => {
      if (bigEndian) header.writeUInt32BE(field, 4 + 4 * i);
      else header.writeUInt32LE(field, 4 + 4 * i);
    });
    return Buffer.concat([header, bigEndian ? Buffer.from(pcm).swap16() : pcm]);
  };
  const writers = {
    raw: (pcm: Buffer) => pcm,
    WAV: wavOf,
    'AU, big-endian': (pcm: Buffer) => au(pcm),
    'AU, little-endian': (pcm: Buffer) => au(pcm, { bigEndian: false }),
  };

  async function read(file: Buffer, cuts: readonly number[]): Promise<Buffer> {
    const ends = [...new Set(cuts.map((cut) => cut % (file.length + 1)))].sort((a, b) => a - b);
    async function* chunks() {
      for (const [i, end] of [...ends, file.length].entries()) yield file.subarray(ends[i - 1] ?? 0, end);
    }
    const read: Buffer[] = [];
    for await (const chunk of samplesOf(chunks())) {
      expect(chunk.length % 2).toBe(0);
      read.push(Buffer.from(chunk));
    }
    return Buffer.concat(read);
  }

  test.each(Object.entries(writers))('%s: the samples, however they are split', async (_, write) => {
    await fc.assert(
      fc.asyncProperty(samples(), fc.array(fc.nat(2_000), { maxLength: 8 }), async (list, cuts) => {
        // Not the name of a format: quiet noise at the start of a recording is none.
        const pcm = pcmOf([1, -1, ...list]);
        expect(await read(write(pcm), cuts)).toEqual(pcm);
      }),
    );
  });

  test('another rate is refused, and the message says what is needed', async () => {
    await expect(read(au(pcmOf([1, 2]), { rate: 44_100 }), [])).rejects.toMatchObject({
      message: 'The recorder delivers 44100 Hz, 1 channels, 16 bits.',
      hint: 'Make it deliver 16000 Hz, 1 channel, 16 bits.',
    });
  });
});
