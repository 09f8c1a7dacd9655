import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pcmOf } from '../../test/support/speech/audio.ts';
import { SpeechWatch } from './speech-watch.ts';

const RATE = 16_000;
const FRAME_MS = 30;

/** Syllables of a quarter of a second, with gaps; `amplitude` is the loudest sample. */
function talk(seconds: number, amplitude: number, noise = 0): number[] {
  return Array.from({ length: RATE * seconds }, (_, i) => {
    const isGap = i % (RATE / 2) > RATE / 4;
    return (isGap ? 0 : amplitude * Math.sin(i / 10)) + hiss(i, noise);
  });
}

function quiet(seconds: number, noise = 0): number[] {
  return Array.from({ length: Math.round(RATE * seconds) }, (_, i) => hiss(i, noise));
}

/** The same in every run. */
function hiss(i: number, noise: number): number {
  return noise * Math.sin(i * i * 12.9898);
}

function heard(...parts: number[][]): SpeechWatch {
  const watch = new SpeechWatch();
  for (const part of parts) watch.push(pcmOf(part));
  return watch;
}

const noises = () => fc.integer({ min: 0, max: 300 });
const voices = () => fc.integer({ min: 3_000, max: 30_000 });

describe('whoever speaks is heard, and so is the pause after it', () => {
  test('at any loudness, in any usual noise', () => {
    fc.assert(
      fc.property(voices(), noises(), fc.integer({ min: 5, max: 30 }), (voice, noise, tenths) => {
        const watch = heard(quiet(0.5, noise), talk(1, voice, noise), quiet(tenths / 10, noise));
        expect(watch.heard).toBe(true);
        // The last syllable ends a quarter of a second before its gap does.
        expect(watch.quietMs).toBeGreaterThanOrEqual(tenths * 100 - FRAME_MS);
        expect(watch.quietMs).toBeLessThanOrEqual(tenths * 100 + 250 + 2 * FRAME_MS);
      }),
      { numRuns: 10 },
    );
  });

  test('from the first moment on', () => {
    expect(heard(talk(1, 5_000, 20)).heard).toBe(true);
  });

  test('a gap between words is no pause of two seconds, however long somebody speaks', () => {
    const watch = new SpeechWatch();
    const second = pcmOf(talk(1, 8_000, 50));
    for (let i = 0; i < 20; i++) {
      watch.push(second);
      expect(watch.quietMs).toBeLessThan(400);
    }
  });
});

describe('what is not speech is not heard', () => {
  test('noise that does not change, however loud', () => {
    fc.assert(
      fc.property(noises(), (noise) => {
        expect(heard(quiet(3, noise)).heard).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test('a click', () => {
    const click = Array<number>(800).fill(20_000);
    expect(heard(quiet(1, 20), click, quiet(1, 20)).heard).toBe(false);
  });

  test('digital silence; all of it is a pause', () => {
    const watch = heard(quiet(3));
    expect([watch.heard, watch.quietMs]).toEqual([false, 3_000]);
  });
});

test('how the audio is split makes no difference', () => {
  const pcm = pcmOf([...quiet(0.5, 30), ...talk(1, 6_000, 30), ...quiet(1, 30)]);
  const whole = heard();
  whole.push(pcm);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 9 }), (sizes) => {
      const watch = new SpeechWatch();
      for (let at = 0, i = 0; at < pcm.length; i++) {
        const size = 2 * (sizes[i % sizes.length] ?? 1);
        watch.push(pcm.subarray(at, at + size));
        at += size;
      }
      expect([watch.heard, watch.quietMs, watch.db]).toEqual([whole.heard, whole.quietMs, whole.db]);
    }),
    { numRuns: 20 },
  );
});
