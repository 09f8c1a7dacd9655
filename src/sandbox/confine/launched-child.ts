import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import type { Child } from '../shell/follow-command.ts';
import { endingOf } from './exact-ending.ts';
import type { Launch } from './launch.ts';

const MAX_WORDS = 4_096;

/** The command behind the process that was started for it. */
export function childOf(spawned: ChildProcess, { launcher }: Pick<Launch, 'launcher'>): Child {
  const stdout = piped(spawned.stdout);
  if (!launcher) return { process: spawned, stdout, stderr: piped(spawned.stderr) };
  let words = '';
  piped(spawned.stderr)
    .setEncoding('utf8')
    .on('data', (text: string) => {
      words = (words + text).slice(-MAX_WORDS);
    });
  return {
    process: spawned,
    stdout,
    stderr: piped(spawned.stdio[3]),
    explain: (ending) => endingOf(ending, words, launcher),
  };
}

function piped(stream: unknown): Readable {
  if (stream instanceof Readable) return stream;
  throw new Error('The process was started without its pipes.');
}
