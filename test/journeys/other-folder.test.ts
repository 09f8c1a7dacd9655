// @module-tag soak
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { answer, openLab, still } from '../support/lab.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const bash = (command: string) => calls(['Bash', { command }]);

describe.skipIf(process.platform === 'win32')('a working directory that is swapped during a session', () => {
  sweep(['ls', 'touch made'])('stops commands such as %s as it stops writes', async (command) => {
    const space = await workspace({ 'a.txt': 'mine\n' });
    const other = `${space.root}-other`;
    await mkdir(other);
    await writeFile(`${other}/private.txt`, 'not yours\n');
    const server = await serve([
      bash('ls'),
      async () => {
        await rename(space.root, `${space.root}-away`);
        await symlink(other, space.root);
        return bash(command);
      },
      calls(['Write', { file_path: 'made', content: 'x' }]),
      says('Done.'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const args = ['-p', 'go', '--model', model, '--mode', 'accept-edits', '--allow', 'Bash(*)'];
    const { code, stderr } = await aca(space, args, { env });
    const told = server.requests.slice(1).map(({ messages }) => messages.at(-1)?.results[0]?.text);
    expect(told).toEqual([
      expect.stringContaining('a.txt'),
      `Permission denied: run a command in ${space.root} (it now resolves to ${other}; ask the user to restore it or to start a new session)`,
      expect.stringContaining('outside the working directory'),
    ]);
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(await readdir(other)).toEqual(['private.txt']);
  });
});

/** A session of one folder, and another folder to go on in. */
async function moved() {
  const home = await workspace();
  const there = { ...home, root: `${home.root}-there` };
  await mkdir(there.root);
  const { stdout } = await headless(home, ['--output-format', 'json'], [says('Begun.')]);
  return { home, there, id: (JSON.parse(stdout) as { sessionId: string }).sessionId };
}

async function headless(space: Workspace, args: string[], script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(space, ['-p', 'go on', '--model', model, ...args], { env });
  return { ...outcome, requests: server.requests.length };
}

async function plain(space: Workspace, args: string[], script: Step[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  return openTerminal(space, ['--plain', '--model', model, ...args], env);
}

const refused = (folder: string) => ({
  code: 2,
  stdout: '',
  stderr: `This session belongs to another folder: ${folder}.\nResume it there, or add --force-dir to resume it here.\n`,
  requests: 0,
});
const wentOn = { code: 0, stdout: 'Went on.\n', requests: 1 };

describe('a session that is resumed in another folder', () => {
  test('headless is refused, also as a copy, unless --force-dir is given', soak, async () => {
    const { home, there, id } = await moved();
    const script = [says('Went on.')];
    for (const args of [
      ['--resume', id],
      ['--resume', id.slice(0, 8)],
      ['--resume', id, '--fork'],
    ])
      expect(await headless(there, args, script)).toEqual(refused(home.root));
    expect((await aca(home, ['sessions'])).stdout.trim().split('\n')).toHaveLength(1);
    expect(await headless(there, ['--resume', id, '--force-dir'], script)).toMatchObject(wentOn);
    expect(await headless(home, ['--resume', id], script)).toMatchObject(wentOn);
  });

  test('a folder that is gone is another; one that is spelled otherwise is not', async () => {
    const { home, there, id } = await moved();
    const file = path.join(home.home, '.ai-assistant/sessions', `${id}.jsonl`);
    const link = `${home.root}-link`;
    await symlink(home.root, link);
    await writeFile(file, (await readFile(file, 'utf8')).replace(`"${home.root}"`, `"${link}"`));
    expect(await headless(home, ['--resume', id], [says('Went on.')])).toMatchObject(wentOn);
    await rm(link);
    expect(await headless(home, ['--resume', id], [])).toEqual(refused(link));
    expect(await headless(there, ['--resume', id], [])).toEqual(refused(link));
  });

  test('is asked about in plain lines: a no leaves it, a yes goes on', async () => {
    const { home, there, id } = await moved();
    const no = await plain(there, ['--resume', id]);
    await no.waitFor('[y/n] ');
    expect(no.screen().replaceAll('\n', '')).toContain(
      `This session belongs to another folder: ${home.root}. Resume it in ${there.root}? [y/n]`,
    );
    no.type('\r');
    expect(await no.exitCode).toBe(0);
    await no.waitFor('The session was not opened.');
    expect(no.screen()).not.toContain('Begun.');

    const yes = await plain(there, ['--resume', id]);
    await yes.waitFor('[y/n] ');
    yes.type('y\r');
    await yes.waitFor('Begun.');

    const forced = await plain(there, ['--resume', id, '--fork', '--force-dir']);
    await forced.waitFor('Begun.');
    expect(forced.screen()).not.toContain('another folder');
  });

  test('is asked about by /resume', async () => {
    const { there, id } = await moved();
    const terminal = await plain(there, [], [says('Still here.')]);
    await terminal.waitFor('> ');
    terminal.type(`/resume ${id}\r`);
    await terminal.waitFor('[y/n] ');
    terminal.type('n\r');
    terminal.type('where are we?\r');
    await terminal.waitFor('Still here.');
    expect(terminal.screen()).not.toContain('Begun.');
    terminal.type(`/resume ${id}\r`);
    await terminal.waitFor('[y/n] ', 2);
    terminal.type('y\r');
    await terminal.waitFor('Begun.');
  });

  test('is asked about on the screen', async () => {
    const { there, id } = await moved();
    const { model, env } = doors.anthropic((await serve([])).url);
    const lab = openLab(there, ['--model', model, '--resume', id], { env, whenDone: onTestFinished });
    await lab.waitFor('This session belongs to another folder');
    await still(lab, 1_000);
    expect(lab.all().join('\n')).not.toContain('Begun.');
    await answer(lab, 'This session belongs to another folder', 'y\r');
    await lab.waitFor('Begun.');
  });
});
