import { describe, expect, test } from 'vitest';
import { pcmOf } from '../../test/support/speech/audio.ts';
import { type Microphone, type RecordOptions, record } from './record.ts';

const tone = (seconds: number, loud = 8_000) =>
  pcmOf(Array.from({ length: 16_000 * seconds }, (_, i) => loud * Math.sin(i / 9)));
const silence = (seconds: number) => Buffer.alloc(32_000 * seconds);

function microphone(sound: readonly Buffer[], { hangs = false, because = '' } = {}) {
  const seen = { ended: 0 };
  async function* audio() {
    yield* sound;
    if (hangs) await new Promise(() => undefined);
  }
  const end = async () => {
    seen.ended++;
  };
  const mic: Microphone = { name: 'rec', audio: audio(), ended: Promise.resolve(because), end };
  return { mic, seen };
}

function options(changes: Partial<RecordOptions> = {}): RecordOptions {
  const never = new AbortController().signal;
  return {
    finish: never,
    signal: never,
    silenceMs: () => 2_000,
    maxMs: 60_000,
    onLevel: () => undefined,
    ...changes,
  };
}

describe('a recording ends', () => {
  test('with a pause after speech, even one in the middle of a chunk', async () => {
    const { mic, seen } = microphone([Buffer.concat([silence(1), tone(1), silence(9), tone(5)])]);
    const { ms, heard } = await record(mic, options());
    expect([heard, seen.ended]).toEqual([true, 1]);
    expect(Math.abs(ms - 4_000)).toBeLessThan(200);
  });

  test('not with a pause while the key is held', async () => {
    const { mic } = microphone([tone(1), silence(9), tone(1)]);
    expect((await record(mic, options({ silenceMs: () => 0 }))).ms).toBe(11_000);
  });

  test('after ten seconds in which nobody speaks', async () => {
    const { mic } = microphone([silence(60)]);
    const { ms, heard } = await record(mic, options());
    expect(heard).toBe(false);
    expect(Math.abs(ms - 10_000)).toBeLessThan(200);
  });

  test('at the longest time, exactly', async () => {
    const { mic } = microphone([tone(9)]);
    const { pcm } = await record(mic, options({ maxMs: 1_500, silenceMs: () => 0 }));
    expect(pcm.length).toBe(48_000);
  });

  test('when the user has finished, although the recorder delivers nothing more', async () => {
    const finish = new AbortController();
    const { mic, seen } = microphone([tone(1)], { hangs: true });
    const onLevel = (_: number, ms: number) => {
      if (ms === 1_000) setTimeout(() => finish.abort(), 20);
    };
    expect((await record(mic, options({ finish: finish.signal, onLevel }))).ms).toBe(1_000);
    expect(seen.ended).toBe(1);
  });

  test('without a result when the user cancels', async () => {
    const cancel = new AbortController();
    const { mic, seen } = microphone([tone(1)], { hangs: true });
    setTimeout(() => cancel.abort(), 20);
    await expect(record(mic, options({ signal: cancel.signal }))).rejects.toThrow('aborted');
    expect(seen.ended).toBe(1);
  });
});

describe('a recorder that fails is ended, and the message says what to do', () => {
  test('it hangs', async () => {
    const { mic, seen } = microphone([], { hangs: true });
    await expect(record(mic, options({ stalledMs: 60 }))).rejects.toMatchObject({
      message: 'rec delivers no sound.',
      hint: expect.stringContaining('voice.device'),
    });
    expect(seen.ended).toBe(1);
  });

  test('it ends at once', async () => {
    const { mic, seen } = microphone([], { because: 'audio open error: No such device' });
    await expect(record(mic, options())).rejects.toMatchObject({
      message: 'rec could not record: audio open error: No such device.',
      hint: expect.stringContaining('voice.device'),
    });
    expect(seen.ended).toBe(1);
  });
});
