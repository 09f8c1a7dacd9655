import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serverMethods } from '../../src/frontends/server/server-methods.ts';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { choosing, Member, type MemberOptions } from '../support/hosted.ts';
import { calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve as serveModel } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

type Record = { url: string; process: { pid: number } };

const dataRoot = (space: Workspace) => path.join(space.home, '.ai-assistant');

async function recordOf(space: Workspace, differsFrom?: number): Promise<Record> {
  for (;;) {
    const text = await readFile(path.join(dataRoot(space), 'serve/server.json'), 'utf8').catch(() => '');
    const record = text === '' ? null : (JSON.parse(text) as Record);
    if (record && record.process.pid !== differsFrom) return record;
    await pause(20);
  }
}

/** A model that plays this script, and how to start the server with it. */
async function prepared(space: Workspace, script: readonly Step[]) {
  const model = await serveModel(script);
  const { model: name, env } = doors.anthropic(model.url);
  await writeFile(path.join(space.home, '.keep'), '');
  const start = async (before?: number) => {
    const line = program(['serve', '--listen', '127.0.0.1:0', '--model', name]);
    const child = spawn(line.file, line.args, {
      cwd: space.home,
      env: cleanEnv(space, env),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ...(await recordOf(space, before)) };
  };
  const join = async (url: string, options: MemberOptions = {}) => {
    const token = (await readFile(path.join(dataRoot(space), 'serve/token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}` };
    return Member.connect(`${url.replace('http', 'ws')}/acp`, { ...options, headers });
  };
  return { model, name, env, start, join };
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', resolve);
  });
}

test('a run goes on without its client; after SIGKILL the session is interrupted and continues on request', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const { start, join, model } = await prepared(space, [
    calls(read),
    calls(edit),
    hangs(),
    says('Finished.'),
  ]);
  const first = await start();
  const ada = await join(first.url);
  const id = await ada.create(space.root);
  void ada.prompt(id, 'change it').catch(() => undefined);
  await ada.until(() => ada.asked.length > 0);
  ada.close();

  const phone = await join(first.url, { answer: choosing('once') });
  await phone.attach(id);
  await phone.until(() => phone.events.some(({ type }) => type === 'permission_settled'));
  while (model.requests.length < 3) await pause(10);
  first.child.kill('SIGKILL');
  await ended(first.child);
  const before = await space.tree();

  const second = await start(first.process.pid);
  const back = await join(second.url);
  const overview = await back.agent.request<{ sessions: { id: string; state: string }[] }>(
    serverMethods.overview,
    {},
  );
  expect(overview.sessions).toMatchObject([{ id, state: 'interrupted' }]);
  const { reset } = await back.attach(id, { epoch: 'of the first server', seq: 5 });
  expect(reset).toBe(true);
  await back.until(() => back.prompts.length > 0);
  expect(model.requests).toHaveLength(3);
  await back.agent.request(serverMethods.resumeRun, { sessionId: id });
  await back.until(() => back.said.includes('Finished.'));

  expect(back.prompts).toEqual(['change it']);
  expect(before).toEqual({ 'a.txt': 'one\nthree\n' });
  expect(await space.tree()).toEqual(before);

  const again = await aca(space, ['serve']);
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain(`process ${second.process.pid}`);
  expect((await aca(space, ['serve', '--status'])).stdout).toContain(id.slice(0, 8));
  expect((await aca(space, ['serve', '--stop'])).stdout).toContain('has stopped');
  expect(await ended(second.child)).toBe(143);
});

test(
  'a task in the background starts the server, and goes on after the command has ended',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const { join, name, env } = await prepared(space, [calls(read), calls(edit), says('Done.')]);
    const args = ['--background', 'change it', '--mode', 'accept-edits', '--model', name];
    onTestFinished(async () => void (await aca(space, ['serve', '--stop'])));

    const { code, stdout, stderr } = await aca(space, args, { env });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const id = /Session (\S+)/.exec(stdout)?.[1] ?? '';
    expect(stdout).toContain(`aca attach ${id.slice(0, 8)}`);
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#code=/);
    const member = await join((await recordOf(space)).url);
    await member.attach(id);
    await member.until(() => member.said.includes('Done.'));
    expect(await space.tree()).toEqual({ 'a.txt': 'one\nthree\n' });
  },
);
