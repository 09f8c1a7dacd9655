import { UserError } from '../contract/errors.ts';
import { raceAbort } from '../lib/async/abort.ts';
import { afterListening } from '../lib/async/listening-time.ts';
import { samplesOf } from './audio-stream.ts';
import { bytesIn, durationMs, meterLevel } from './pcm.ts';
import { SpeechWatch } from './speech-watch.ts';

/** A recorder that runs. */
export type Microphone = {
  /** For messages. */
  name: string;
  audio: AsyncIterable<Uint8Array>;
  /** Resolves when it has ended, with the last lines it printed; empty if it ended as it should. */
  ended: Promise<string>;
  /** Ends it and all its processes. */
  end(): Promise<void>;
};

export type RecordOptions = {
  /** Aborted when the user has finished speaking. */
  finish: AbortSignal;
  /** Aborted when the user cancels. */
  signal: AbortSignal;
  /** How long a pause ends the recording; 0: none does. */
  silenceMs(): number;
  maxMs: number;
  /** For a meter: 0 to 1, and the length so far. */
  onLevel(level: number, ms: number): void;
  /** How long the recorder may deliver nothing. */
  stalledMs?: number;
};

export type Recording = { pcm: Buffer; heard: boolean; ms: number };

/** A recorder that delivers nothing for this long hangs. */
const STALLED_MS = 5_000;
/** Somebody who has not said anything may still be thinking. */
const BEFORE_SPEECH_MS = 10_000;
const PIECE_BYTES = bytesIn(90);

/** Records until the user has finished, pauses, or the longest time is over. Ends the recorder, whatever happens. */
export async function record(microphone: Microphone, options: RecordOptions): Promise<Recording> {
  const { finish, signal, maxMs } = options;
  const watch = new SpeechWatch();
  const chunks: Buffer[] = [];
  const most = bytesIn(maxMs);
  let size = 0;
  const samples = samplesOf(microphone.audio);
  try {
    recording: for (;;) {
      const chunk = await nextChunk(samples, microphone, options);
      if (chunk === null) break;
      for (const piece of piecesOf(chunk)) {
        const kept = piece.subarray(0, most - size);
        watch.push(kept);
        chunks.push(kept);
        size += kept.length;
        options.onLevel(meterLevel(watch.db), durationMs(size));
        if (size >= most || isPause(watch, options)) break recording;
      }
    }
    signal.throwIfAborted();
    // One that ended by itself may have its own way to detect the end of speech.
    if (size === 0 && !finish.aborted) throw await endedAtOnce(microphone);
  } finally {
    await microphone.end();
  }
  return { pcm: Buffer.concat(chunks), heard: watch.heard, ms: durationMs(size) };
}

/** A recorder may deliver seconds at once, with a pause in them. */
function* piecesOf(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}

function isPause({ heard, quietMs }: SpeechWatch, { silenceMs }: RecordOptions): boolean {
  const limit = silenceMs();
  return limit > 0 && quietMs >= (heard ? limit : Math.max(limit, BEFORE_SPEECH_MS));
}

/** Null at the end of the audio, or when the user has finished. */
async function nextChunk(
  samples: AsyncGenerator<Buffer>,
  { name }: Microphone,
  { finish, signal, stalledMs = STALLED_MS }: RecordOptions,
): Promise<Buffer | null> {
  const stop = new AbortController();
  const stopped = () => stop.abort();
  const patience = afterListening(stalledMs, () => stop.abort(stalled(name)));
  for (const one of [finish, signal]) one.addEventListener('abort', stopped);
  try {
    if (signal.aborted || finish.aborted) return null;
    const { value, done } = await raceAbort(samples.next(), stop.signal);
    return done ? null : value;
  } catch (error) {
    if (finish.aborted || signal.aborted) return null;
    throw error;
  } finally {
    patience();
    for (const one of [finish, signal]) one.removeEventListener('abort', stopped);
  }
}

function stalled(name: string): UserError {
  return new UserError(
    `${name} delivers no sound.`,
    'Check that the microphone is connected and that your terminal may use it, or choose another with voice.device.',
  );
}

async function endedAtOnce({ name, ended }: Microphone): Promise<UserError> {
  const because = await ended;
  return new UserError(
    `${name} could not record${because === '' ? '' : `: ${because}`}.`,
    'Check that there is a microphone, or choose another with voice.device or voice.recorder.',
  );
}
