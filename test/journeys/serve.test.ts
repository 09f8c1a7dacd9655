import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serverMethods } from '../../src/frontends/server/server-methods.ts';
import { aca } from '../support/aca.ts';
import { ended, prepared, recordOf } from '../support/aca-server.ts';
import { choosing } from '../support/hosted.ts';
import { answer, type Lab, openLab } from '../support/lab.ts';
import { calls, hangs, says, slowly } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

/** The prompt is visible, and the model is known. */
const promptShown = (lab: Lab) =>
  lab.rows().some((row) => row.startsWith('>')) && lab.rows().join().includes('sonnet-4');

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
  'SIGTERM during a run ends commands and sessions cleanly; continued, nothing runs twice',
  soak,
  async () => {
    const space = await workspace();
    const command = 'echo ran >> ran.txt; sleep 300; echo late >> ran.txt';
    const flags = ['--allow', 'Bash(*)', '--mode', 'accept-edits'];
    const { start, join, model } = await prepared(
      space,
      [calls(['Bash', { command }]), says('Finished.')],
      flags,
    );
    const first = await start();
    const ada = await join(first.url);
    const id = await ada.create(space.root);
    void ada.prompt(id, 'work').catch(() => undefined);
    await expect.poll(() => space.tree(), { timeout: 30_000 }).toEqual({ 'ran.txt': 'ran\n' });

    first.child.kill('SIGTERM');

    expect(await ended(first.child)).toBe(143);
    const second = await start(first.process.pid);
    const back = await join(second.url);
    expect(await back.attach(id)).toMatchObject({ state: 'interrupted' });
    await back.agent.request(serverMethods.resumeRun, { sessionId: id });
    await back.until(() => back.said.includes('Finished.'));
    expect(await space.tree()).toEqual({ 'ran.txt': 'ran\n' });
    expect(model.requests).toHaveLength(2);
  },
);

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

describe('an attached terminal', () => {
  test(
    'shares the conversation with other clients, approves, and leaves the run alone when it leaves',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'one\ntwo\n' });
      const { start, join } = await prepared(space, [
        calls(read),
        calls(edit),
        says('Changed it.'),
        slowly(says('Slow words. '.repeat(6), { pieceLength: 12 }), { betweenMs: 150 }),
      ]);
      const { url } = await start();
      const ada = await join(url);
      const id = await ada.create(space.root);
      await ada.attach(id);
      const lab = openLab(space, ['attach', id.slice(0, 8)], { inShell: true, whenDone: onTestFinished });
      await lab.waitFor(promptShown);

      void ada.prompt(id, 'change it from afar').catch(() => undefined);
      await lab.waitFor('change it from afar');
      await answer(lab, 'Edit a.txt?', 'y\r');
      await lab.waitFor('Changed it.');
      await ada.until(() => ada.events.some(({ type }) => type === 'turn_ended'));
      expect(ada.events.find(({ type }) => type === 'permission_settled')).toMatchObject({
        optionId: 'once',
      });
      expect(await space.tree()).toEqual({ 'a.txt': 'one\nthree\n' });

      lab.type('talk slowly\r');
      await ada.until(() => ada.prompts.includes('talk slowly'));
      await lab.waitFor('Slow words.');
      lab.type('\u0004');
      await lab.waitFor('shell> ', { times: 2 });
      expect(lab.all().join('\n')).toContain('Detached. The session goes on.');
      expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
      expect(lab.cursor().visible).toBe(true);
      await ada.until(() => ada.said.split('Slow words.').length > 6);
    },
  );
});

test('/background hands a session over with what waits: its run goes on in the server', soak, async () => {
  const space = await workspace();
  const { join, name, env, model } = await prepared(space, [
    slowly(says('Slow words. '.repeat(100), { pieceLength: 12 }), { betweenMs: 100 }),
    says('Continued elsewhere.'),
    says('Did the rest.'),
  ]);
  onTestFinished(async () => void (await aca(space, ['serve', '--stop'])));
  const lab = openLab(space, ['--model', name], { inShell: true, env, whenDone: onTestFinished });
  await lab.waitFor(promptShown);
  lab.type('talk\r');
  await lab.waitFor('Slow words.');
  lab.type('and then the rest\r');
  await lab.waitFor('Will be sent with the next step');

  lab.type('/background\r');

  await lab.waitFor('Attach with: aca attach');
  await lab.waitFor('shell> ', { times: 2 });
  const id = /Session (\S+) is running/.exec(lab.all().join('\n'))?.[1] ?? '';
  const member = await join((await recordOf(space)).url);
  await member.attach(id);
  await member.until(() => member.said.includes('Did the rest.'));
  expect([member.prompts[0], member.prompts.at(-1)]).toEqual(['talk', 'and then the rest']);
  expect(JSON.stringify(model.requests.at(-1)?.messages).split('and then the rest')).toHaveLength(2);
});
