import type { RecorderName } from '../contract/voice.ts';
import { SAMPLE_RATE } from './pcm.ts';

/** A program that writes the microphone to its standard output. */
export type Recorder = {
  /** Also the program to start. */
  name: RecorderName;
  platforms: readonly NodeJS.Platform[];
  /** Null if it does not work without a device. */
  args(device: string | undefined): string[] | null;
  /** The package to install, if it is not called like the program. */
  package?: string;
};

const rate = String(SAMPLE_RATE);
const BSD: readonly NodeJS.Platform[] = ['freebsd', 'openbsd', 'netbsd'];
const SOX_OUTPUT = ['-t', 'raw', '-r', rate, '-c', '1', '-b', '16', '-e', 'signed-integer', '-L', '-'];
const FFMPEG = ['-hide_banner', '-loglevel', 'error', '-nostdin'];
const FFMPEG_OUTPUT = ['-ac', '1', '-ar', rate, '-f', 's16le', 'pipe:1'];

const given = (device: string | undefined, words: (device: string) => string[]) =>
  device === undefined ? [] : words(device);

/** In order of preference. */
const recorders: readonly Recorder[] = [
  {
    name: 'pw-record',
    package: 'pipewire-bin',
    platforms: ['linux'],
    args: (device) => [
      ...['--rate', rate, '--channels', '1', '--format', 's16'],
      ...given(device, (name) => ['--target', name]),
      '-',
    ],
  },
  {
    name: 'parecord',
    package: 'pulseaudio-utils',
    platforms: ['linux', ...BSD],
    args: (device) => [
      ...['--raw', `--rate=${rate}`, '--channels=1', '--format=s16le', '--latency-msec=50'],
      ...given(device, (name) => [`--device=${name}`]),
    ],
  },
  {
    name: 'arecord',
    package: 'alsa-utils',
    platforms: ['linux'],
    args: (device) => [
      '-q',
      ...given(device, (name) => ['-D', name]),
      ...['-t', 'raw', '-f', 'S16_LE', '-r', rate, '-c', '1', '-'],
    ],
  },
  sox(['linux'], 'alsa'),
  sox(BSD, 'oss'),
  sox(['darwin'], 'coreaudio'),
  sox(['win32'], 'waveaudio'),
  ffmpeg(['linux'], (device = 'default') => ['-f', 'alsa', '-i', device]),
  ffmpeg(BSD, (device = '/dev/dsp') => ['-f', 'oss', '-i', device]),
  ffmpeg(['darwin'], (device = 'default') => ['-f', 'avfoundation', '-i', `:${device}`]),
  // DirectShow has no default device.
  ffmpeg(['win32'], (device) => (device === undefined ? null : ['-f', 'dshow', '-i', `audio=${device}`])),
];

function sox(platforms: readonly NodeJS.Platform[], driver: string): Recorder {
  const args = (device = 'default') => ['-q', '-t', driver, device, ...SOX_OUTPUT];
  return { name: 'sox', platforms, args };
}

function ffmpeg(
  platforms: readonly NodeJS.Platform[],
  input: (device: string | undefined) => string[] | null,
): Recorder {
  const args = (device: string | undefined) => {
    const words = input(device);
    return words && [...FFMPEG, ...words, ...FFMPEG_OUTPUT];
  };
  return { name: 'ffmpeg', platforms, args };
}

export function recordersOf(platform: NodeJS.Platform): readonly Recorder[] {
  return recorders.filter(({ platforms }) => platforms.includes(platform));
}

/** What to install if there is no recorder. */
export function installHint(platform: NodeJS.Platform): string {
  const names = recordersOf(platform).map(({ name, package: of = name }) => of);
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(names);
  return `${list === '' ? 'Set' : `Install ${list}, or set`} voice.recordCommand to a command that records.`;
}
