import type { ChildProcess } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SessionStore } from '../../src/session/store.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { dataRootOf, journalOf, noStrace, type Ran, sessionsIn } from '../support/crash/program.ts';
import { goOn, play, type Stage, setStage, withServer } from '../support/crash/round.ts';
import { counter, files, sentences } from '../support/crash/scenario.ts';
import { noMount, smallDisk } from '../support/crash/small-disk.ts';
import { closedHistory, countedIn, verifyHistory } from '../support/crash/verify.ts';
import { hangs, type Step, says } from '../support/model-server/script.ts';
import { soak, sweepFor } from '../support/soak.ts';

const CANNOT_SAVE = /Cannot save the session \((.*)\)\. Continuing in memory only\./g;

/** The conversation went its way to its end, whatever the disk said. */
function expectSaid({ space }: Stage, { code, stdout, stderr }: Ran): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; text?: string })
    .flatMap((event) => (event.type === 'text' ? [event.text] : []));
  expect(said.join('')).toBe(sentences.join(''));
  expect(countedIn(space)).toEqual(['one', 'two']);
}

/** The work was done, too. */
async function expectDone(stage: Stage, ran: Ran): Promise<void> {
  expectSaid(stage, ran);
  expect(await stage.space.tree()).toMatchObject({
    'a.txt': 'alpha\nBETA\ngamma\n',
    'b.txt': 'B\n',
    'kept/new.txt': 'new\n',
  });
}

/** A session of earlier, byte by byte. */
async function earlierSession(stage: Stage): Promise<{ id: string; bytes: string }> {
  await withServer([says('Earlier.')], async (server) => {
    const { model, env } = doors.anthropic(server.url);
    expect((await aca(stage.space, ['-p', 'earlier', '--model', model], { env })).code).toBe(0);
  });
  const [id = ''] = sessionsIn(stage.space);
  return { id, bytes: readFileSync(journalOf(stage.space, id), 'utf8') };
}

/** Whatever got to the disk can be loaded, is valid, and goes on. */
async function expectUsable(stage: Stage, except: string): Promise<void> {
  const store = new SessionStore(path.join(dataRootOf(stage.space), 'sessions'));
  for (const id of sessionsIn(stage.space).filter((one) => one !== except)) {
    const open = await store.resume(id);
    if (!open) continue;
    verifyHistory(closedHistory(open));
    await open.close();
    await goOn(stage, id);
  }
}

const inject = (calls: string, error: string) => ({
  strace: ['-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`],
});

describe('[S04] [S06] [Y11] a disk that fails costs a warning, never the conversation', () => {
  test('ENOSPC: a full disk; what it refused is written when there is room again', soak, async ({ skip }) => {
    if (noMount !== null) return skip(noMount);
    const stage = await setStage();
    const disk = smallDisk(dataRootOf(stage.space), 16 * 1024 * 1024);
    const earlier = await earlierSession(stage);
    disk.fill(8192);
    const ran = await play(stage);
    expect(ran.stderr.match(CANNOT_SAVE)?.length).toBe(1);
    await expectDone(stage, ran);
    expect(readFileSync(journalOf(stage.space, earlier.id), 'utf8')).toBe(earlier.bytes);
    disk.empty();
    await expectUsable(stage, '');
  });

  test('EROFS: a data root that may only be read', soak, async ({ skip }) => {
    if (noMount !== null) return skip(noMount);
    const stage = await setStage();
    const disk = smallDisk(dataRootOf(stage.space), 16 * 1024 * 1024);
    const earlier = await earlierSession(stage);
    disk.readOnly();
    const ran = await play(stage);
    expect(ran.stderr.match(CANNOT_SAVE)).toEqual([expect.stringContaining('EROFS')]);
    await expectDone(stage, ran);
    expect(sessionsIn(stage.space)).toEqual([earlier.id]);
    expect(readFileSync(journalOf(stage.space, earlier.id), 'utf8')).toBe(earlier.bytes);
  });

  test('EACCES: a home nobody may write to', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('root may write everywhere');
    const stage = await setStage();
    const earlier = await earlierSession(stage);
    const closed = [dataRootOf(stage.space), path.join(dataRootOf(stage.space), 'sessions')];
    for (const folder of closed) chmodSync(folder, 0o500);
    const ran = await play(stage);
    for (const folder of closed) chmodSync(folder, 0o700);
    expect(ran.stderr.match(CANNOT_SAVE)).toEqual([expect.stringContaining('EACCES')]);
    await expectDone(stage, ran);
    expect(sessionsIn(stage.space)).toEqual([earlier.id]);
  });

  test('EIO: nothing can be synced, and everything written is there', soak, async ({ skip }) => {
    if (noStrace !== null) return skip(noStrace);
    const stage = await setStage();
    const earlier = await earlierSession(stage);
    const ran = await play(stage, inject('fdatasync', 'EIO'));
    expect(ran.stderr.match(CANNOT_SAVE)).toEqual([expect.stringContaining('EIO')]);
    await expectDone(stage, ran);
    expect(readFileSync(journalOf(stage.space, earlier.id), 'utf8')).toBe(earlier.bytes);
    await expectUsable(stage, earlier.id);
  });

  sweepFor(
    [
      // What cannot be renamed is written in place; what cannot be kept for undo is not changed.
      ['EXDEV', 'rename,renameat,renameat2', { 'a.txt': 'alpha\nBETA\ngamma\n', 'b.txt': 'B\n' }],
      ['EIO', 'fsync', {}],
    ] as const,
    ([error]) => error === 'EXDEV',
  )(
    '%s from every %s: the journal has everything, and no half of a file is left',
    async ([error, call, edited], { skip }) => {
      if (noStrace !== null) return skip(noStrace);
      const stage = await setStage();
      const ran = await play(stage, inject(call, error));
      expectSaid(stage, ran);
      expect(ran.stderr).toMatch(
        new RegExp(
          `^(Changes cannot be undone for now: .*\\n)?The session was saved but not closed cleanly \\(${error}: .*\\)\\.\n$`,
        ),
      );
      expect(await stage.space.tree()).toEqual({ ...files, ...edited, [counter]: 'one\ntwo\n' });
      const [id = ''] = sessionsIn(stage.space);
      expect(readdirSync(path.dirname(journalOf(stage.space, id)))).toEqual([`${id}.jsonl`]);
      await expectUsable(stage, '');
    },
  );
});

describe('two processes and one session', () => {
  test(
    'the second is refused; killed, the first lets go at once; a fork goes on meanwhile',
    soak,
    async () => {
      const stage = await setStage();
      const { space } = stage;
      const { id } = await earlierSession(stage);
      const resume = (args: string[], answer: Step, onSpawn?: AcaOptions['onSpawn']) =>
        withServer([answer], (server) => {
          const { model, env } = doors.anthropic(server.url);
          const all = ['-p', 'go', '--resume', id, '--model', model, ...args];
          return aca(space, all, { env, ...(onSpawn && { onSpawn }) });
        });
      let first: ChildProcess | undefined;
      const held = resume([], hangs(), (child) => {
        first = child;
      });
      await until(() => readFileSync(journalOf(space, id), 'utf8').includes('"go"'));

      const second = await resume([], says('never'));
      expect(second).toEqual({
        code: 1,
        stdout: '',
        stderr: `Session ${id.slice(0, 8)} is open in another process.\nClose it first, or continue in a copy with --fork.\n`,
      });
      expect(await resume(['--fork'], says('In a copy.'))).toMatchObject({ code: 0, stdout: 'In a copy.\n' });

      first?.kill('SIGKILL');
      await held;
      expect(await resume([], says('Went on.'))).toEqual({ code: 0, stdout: 'Went on.\n', stderr: '' });
      expect(sessionsIn(space).length).toBe(2);
    },
  );
});

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('It did not come to that.');
  }
}
