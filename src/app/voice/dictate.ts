import { UserError } from '../../contract/errors.ts';
import { following } from '../../lib/async/abort.ts';
import { wavOf } from '../../voice/pcm.ts';
import { type Microphone, type Recording, record } from '../../voice/record.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { findTranscriber, type Transcriber } from './find-transcriber.ts';
import { openMicrophone } from './open-microphone.ts';

export type DictateOptions = {
  /** Aborted when the user has finished speaking. */
  finish: AbortSignal;
  /** Aborted when the user cancels. */
  signal: AbortSignal;
  /** No pause ends the recording while the key is held. */
  isHeld(): boolean;
  onDestination(destination: string): void;
  onLevel(level: number, ms: number): void;
  onRecorded(): void;
  /** Another microphone than that of this machine. */
  microphone?: (() => Promise<Microphone>) | undefined;
};

/** A shorter recording was a key pressed by mistake. */
const SHORTEST_MS = 300;

/** Records and transcribes. Throws a `UserError` that says what to do. */
export async function dictate(settings: Settings, host: Host, options: DictateOptions): Promise<string> {
  const { signal, onDestination } = options;
  const stop = following(signal);
  // Both at once: the first words are not lost while servers are looked for.
  const found = findTranscriber(settings, host).then((transcriber) => {
    onDestination(transcriber.destination);
    return transcriber;
  });
  found.catch(stop.abort);
  try {
    const wav = wavOf(await speech(settings, host, { ...options, signal: stop.signal }));
    const transcriber: Transcriber = await found;
    options.onRecorded();
    return await transcriber.transcribe(wav, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stop.stop();
  }
}

async function speech(settings: Settings, host: Host, options: DictateOptions): Promise<Buffer> {
  const { voice } = settings.config;
  const microphone = await (options.microphone?.() ?? openMicrophone(settings.config, host));
  const recording = await record(microphone, {
    ...options,
    silenceMs: () => (options.isHeld() ? 0 : voice.silenceSeconds * 1000),
    maxMs: voice.maxSeconds * 1000,
  });
  checkSpeech(recording);
  return recording.pcm;
}

function checkSpeech({ pcm, heard, ms }: Recording): void {
  if (ms < SHORTEST_MS)
    throw new UserError(
      'The recording is too short.',
      'Hold the key while you speak, or press it again when you have finished.',
    );
  if (heard) return;
  if (pcm.every((byte) => byte === 0))
    throw new UserError(
      'The microphone delivers only silence.',
      'Unmute it, let your terminal use it, or choose another with voice.device.',
    );
  throw new UserError(
    'No speech was heard.',
    'Speak closer to the microphone, or choose another with voice.device.',
  );
}
