import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { pictureOf } from '../support/undo.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const files = {
  'src/a.ts': 'export const a = 1;\n',
  'src/deep/b.bin': '\0\x01\x02',
  'notes.md': 'one\ntwo\nthree\nfour\nfive\n',
};

const removal = calls(['Bash', { command: 'rm -rf src' }]);
const allowed = ['--allow', 'Bash(rm *)'];

const rewriting = (from: string, to: string) =>
  calls(['Edit', { file_path: 'notes.md', old_string: from, new_string: to }]);

async function open(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model, ...args], env);
  await terminal.waitFor('> ');
  return { server, terminal };
}

/** A headless run of this script. */
async function play(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(space, ['-p', 'go', '--model', model, '--mode', 'accept-edits', ...args], {
    env,
  });
  expect(outcome).toMatchObject({ code: 0 });
}

describe('what a command did is taken back', () => {
  test('rm -rf by the model: /undo shows it, asks, and brings every byte back; /redo does it again', async () => {
    const space = await workspace(files);
    const before = pictureOf(space.root);
    const { terminal } = await open(space, [removal, says('Gone.')], [...allowed, 'remove src']);
    await terminal.waitFor('Gone.');
    expect(await space.tree()).toEqual({ 'notes.md': files['notes.md'] });

    terminal.type('/undo\r');
    await terminal.waitFor('Undo this? [y/n] ');
    expect(terminal.screen()).toMatch(/restore +src\/a\.ts +\+1 -0/);
    expect(await space.tree()).toEqual({ 'notes.md': files['notes.md'] });
    terminal.type('n\r');
    await terminal.waitFor('Nothing was changed.');
    expect(await space.tree()).toEqual({ 'notes.md': files['notes.md'] });

    terminal.type('/undo\r');
    await terminal.waitFor('Undo this? [y/n] ', 2);
    terminal.type('y\r');
    await terminal.waitFor('restored src/deep/b.bin');
    expect(pictureOf(space.root)).toEqual(before);

    terminal.type('/redo\r');
    await terminal.waitFor('Redo this? [y/n] ');
    terminal.type('y\r');
    await terminal.waitFor('removed src/deep/b.bin');
    expect(await space.tree()).toEqual({ 'notes.md': files['notes.md'] });
    terminal.type('/redo\r');
    await terminal.waitFor('Nothing to redo.');
  });

  test(
    'aca undo in a new process: without a terminal a preview only, with --yes it is done; aca redo',
    soak,
    async () => {
      const space = await workspace(files);
      const before = pictureOf(space.root);
      await play(space, [removal, says('Gone.')], allowed);
      const gone = await space.tree();
      expect(gone).toEqual({ 'notes.md': files['notes.md'] });

      const preview = await aca(space, ['undo']);
      expect(preview).toMatchObject({ code: 0, stderr: '' });
      expect(preview.stdout).toMatch(/restore +src\/a\.ts +\+1 -0\n/);
      expect(preview.stdout).toContain('Nothing was changed. To apply this, run: aca undo --yes\n');
      expect(await space.tree()).toEqual(gone);

      expect((await aca(space, ['undo', '--yes'])).stdout).toContain('restored src/deep/b.bin\n');
      expect(pictureOf(space.root)).toEqual(before);
      expect((await aca(space, ['undo', '--yes'])).stdout).toBe('Nothing to undo.\n');
      expect((await aca(space, ['redo', '--yes'])).stdout).toContain('removed src/deep/b.bin\n');
      expect(await space.tree()).toEqual(gone);
    },
  );

  test('aca undo in a terminal asks first', soak, async () => {
    const space = await workspace(files);
    await play(space, [removal, says('Gone.')], allowed);
    const terminal = openTerminal(space, ['undo']);
    await terminal.waitFor('Undo this? [y/n] ');
    terminal.type('y\r');
    expect(await terminal.exitCode).toBe(0);
    expect(await space.tree()).toEqual(files);
  });

  test('aca undo names what is missing, and leaves a session that is open alone', soak, async () => {
    const space = await workspace(files);
    expect(await aca(space, ['undo'])).toMatchObject({
      code: 2,
      stderr:
        'There is no session in this folder.\nRun `aca sessions` to list them, and pass one with --session.\n',
    });
    expect((await aca(space, ['undo', '--session', 'x'])).stderr).toContain('There is no session "x".');
    const { terminal } = await open(space, [removal, says('Gone.')], [...allowed, 'remove src']);
    await terminal.waitFor('Gone.');
    const refused = await aca(space, ['undo', '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is open in another process.');
    expect(await space.tree()).toEqual({ 'notes.md': files['notes.md'] });
  });
});

describe("the user's own work in between", () => {
  test(
    'edits elsewhere in the file stay; an edit in the same lines is named and nothing of the file is touched',
    soak,
    async () => {
      const space = await workspace(files);
      const notes = path.join(space.root, 'notes.md');
      await play(space, [rewriting('two', 'TWO'), says('Done.')]);
      await writeFile(notes, (await readFile(notes, 'utf8')).replace('five', 'five, mine'));
      expect((await aca(space, ['undo', '--yes'])).stdout).toBe(
        '  restore notes.md  +1 -1\nrestored notes.md\n',
      );
      expect(await readFile(notes, 'utf8')).toBe('one\ntwo\nthree\nfour\nfive, mine\n');

      await play(space, [rewriting('three', 'THREE'), says('Done.')]);
      await writeFile(notes, (await readFile(notes, 'utf8')).replace('THREE', 'mine'));
      const { stdout } = await aca(space, ['undo']);
      expect(stdout).toContain('  leave alone notes.md: the same lines were changed later\n');
      await aca(space, ['undo', '--yes']);
      expect(await readFile(notes, 'utf8')).toBe('one\ntwo\nmine\nfour\nfive, mine\n');
    },
  );

  test('/undo again goes one run further, past a run that stands in the way if the user says so', async () => {
    const space = await workspace(files);
    const notes = path.join(space.root, 'notes.md');
    const { terminal } = await open(
      space,
      [rewriting('one', 'ONE'), says('First.'), rewriting('three', 'THREE'), says('Second.')],
      ['--mode', 'accept-edits', 'go'],
    );
    await terminal.waitFor('First.');
    terminal.type('more\r');
    await terminal.waitFor('Second.');
    await writeFile(notes, (await readFile(notes, 'utf8')).replace('THREE', 'mine'));
    terminal.type('/undo\r');
    await terminal.waitFor('None of it can be changed. Skip it? [y/n] ');
    terminal.type('y\r');
    await terminal.waitFor('left alone notes.md');
    terminal.type('/undo\r');
    await terminal.waitFor('Undo this? [y/n] ');
    terminal.type('y\r');
    await terminal.waitFor('restored notes.md');
    expect(await readFile(notes, 'utf8')).toBe('one\ntwo\nmine\nfour\nfive\n');
    terminal.type('/undo\r');
    await terminal.waitFor('Nothing to undo.');
  });

  test('a file that came back by itself needs nothing', soak, async () => {
    const space = await workspace(files);
    await play(space, [calls(['Write', { file_path: 'new.txt', content: 'x' }]), says('Done.')]);
    await rm(path.join(space.root, 'new.txt'));
    expect((await aca(space, ['undo', '--yes'])).stdout).toBe('Nothing to undo.\n');
  });

  test(
    'what a person saves while a command runs is shown apart and stays, unless it is named',
    soak,
    async () => {
      const space = await workspace(files);
      const at = (name: string) => path.join(space.root, name);
      const command = 'touch began; while [ ! -e saved ]; do sleep 0.1; done; sleep 1.1; echo x > out.txt';
      const run = play(space, [calls(['Bash', { command }]), says('Done.')], ['--allow', 'Bash(*)']);
      await expect.poll(() => existsSync(at('began')), { timeout: 30_000 }).toBe(true);
      await writeFile(at('notes.md'), 'my work\n');
      await writeFile(at('saved'), '');
      await run;

      const preview = (await aca(space, ['undo'])).stdout;
      expect(preview).toMatch(/remove +out\.txt/);
      expect(preview).toMatch(
        /Possibly not changed by this run, so left alone:\n +would restore notes\.md +\+5 -1: it was changed while a command ran/,
      );
      expect((await aca(space, ['undo', '--yes'])).stdout).toContain('removed out.txt');
      expect(await readFile(at('notes.md'), 'utf8')).toBe('my work\n');
    },
  );
});
