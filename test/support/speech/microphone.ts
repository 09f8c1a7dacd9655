import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { mustRun } from '../needed.ts';
import type { Workspace } from '../workspace.ts';
import { pcmOf, readWav, resampled, samplesIn } from './audio.ts';

const run = promisify(execFile);

const PACKAGES = { 'espeak-ng': 'espeak-ng', arecord: 'alsa-utils' };

/** Skips the test if a program is not installed. */
export function needs(skip: TestContext['skip'], ...programs: (keyof typeof PACKAGES)[]): void {
  const missing = programs.filter((name) => !existsSync(`/usr/bin/${name}`));
  const packages = missing.map((name) => PACKAGES[name]).join(' ');
  skip(missing.length > 0 && !mustRun, `${missing.join(', ')} is not installed (apt install ${packages}).`);
}

/** What a speech synthesizer says, at 16 kHz. */
export async function speech(words: string): Promise<Buffer> {
  const { stdout } = await run('espeak-ng', ['--stdout', words], { encoding: 'buffer' });
  // Written to a pipe, its lengths are those of an endless file.
  stdout.writeUInt32LE(stdout.length - 8, 4);
  stdout.writeUInt32LE(stdout.length - 44, 40);
  const { pcm, rate } = readWav(stdout);
  return pcmOf(resampled(samplesIn(pcm), rate, 16_000));
}

export function silence(seconds: number): Buffer {
  return Buffer.alloc(2 * Math.round(16_000 * seconds));
}

/** A microphone for ALSA, without a sound card: it delivers this sound, as fast as it is read. */
export async function microphone({ home }: Workspace, sound: Buffer): Promise<Record<string, string>> {
  const [file, config] = ['microphone.raw', 'asound.conf'].map((name) => path.join(home, name));
  await writeFile(file ?? '', sound);
  await writeFile(
    config ?? '',
    `pcm.!default { type file slave.pcm { type null } file "/dev/null" infile "${file}" format "raw" }\n`,
  );
  return { ALSA_CONFIG_PATH: config ?? '' };
}

/** A command that delivers a sound as fast as it is spoken, then silence, until it is ended. */
export async function slowMicrophone({ home }: Workspace, sound: Buffer): Promise<string> {
  const [file, script] = ['slow.raw', 'record.mjs'].map((name) => path.join(home, name));
  await writeFile(file ?? '', sound);
  await writeFile(
    script ?? '',
    `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(`${file}.pid`)}, String(process.pid));
const sound = readFileSync(${JSON.stringify(file)});
let at = 0;
setInterval(() => {
  const piece = Buffer.alloc(1600);
  sound.copy(piece, 0, at, at + 1600);
  at += 1600;
  process.stdout.write(piece);
}, 50);
`,
  );
  return `exec '${process.execPath}' '${script}'`;
}

/** Writes the user's settings for voice. */
export async function withVoice({ home }: Workspace, voice: object, more: object = {}): Promise<void> {
  await mkdir(path.join(home, '.ai-assistant'), { recursive: true, mode: 0o700 });
  await writeFile(path.join(home, '.ai-assistant/config.json'), JSON.stringify({ ...more, voice }));
}
