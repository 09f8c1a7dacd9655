import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { carriers, changers, readers } from './shell-lines.ts';

/** What one line did: the commands that really ran, words and all, and the files it left behind. */
export type Ran = { line: string; commands: string[][]; made: string[] };

const BASH = '/bin/bash';
const AT_ONCE = 4;
const RECORD = '\x1e';
const present = ['in.txt', 'src'];

/** Runs lines in real bash where every program is a stub that only tells that it was called. */
export async function runLines(base: string, lines: readonly string[]): Promise<Ran[]> {
  const stubs = path.join(base, 'stubs');
  await makeStubs(stubs);
  const queue = [...lines.entries()];
  const ran: Ran[] = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [i, line] = next;
      ran[i] = await runLine(line, { stubs, place: path.join(base, String(i)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ran;
}

async function makeStubs(stubs: string): Promise<void> {
  await mkdir(stubs, { recursive: true });
  // One write a call, so that calls side by side do not mix.
  const record = `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" '${RECORD}' >> "$STUB_LOG"\n`;
  for (const name of [...readers, ...changers]) await writeFile(path.join(stubs, name), record);
  for (const name of carriers) {
    // The comparison is with bash, in its manner of sh too; where sh is another shell, the table of cases speaks.
    const real = name === 'bash' ? BASH : name === 'sh' ? `${BASH} --posix` : `/usr/bin/${name}`;
    await writeFile(path.join(stubs, name), `${record}exec ${real} "$@"\n`);
  }
  for (const name of await readdir(stubs)) await chmod(path.join(stubs, name), 0o755);
}

async function runLine(line: string, { stubs, place }: { stubs: string; place: string }): Promise<Ran> {
  const folder = path.join(place, 'work');
  const log = path.join(place, 'log');
  await mkdir(path.join(folder, 'src'), { recursive: true });
  await writeFile(path.join(folder, 'in.txt'), 'in\n');
  await writeFile(log, '');
  await new Promise<void>((resolve) => {
    const child = execFile(BASH, ['--norc', '--noprofile', '-c', line], {
      cwd: folder,
      env: { PATH: stubs, HOME: place, TWO: 'a b', STUB_LOG: log },
      timeout: 5_000,
    });
    // What runs in the background holds the streams open, so this waits for it as well.
    child.on('close', () => resolve());
    child.stdin?.end();
  });
  const records = (await readFile(log, 'utf8')).split(`${RECORD}\0`).slice(0, -1);
  return {
    line,
    commands: records.map((record) => record.split('\0').slice(0, -1)),
    made: (await readdir(folder)).filter((name) => !present.includes(name)),
  };
}
