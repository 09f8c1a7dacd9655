import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { answer } from '../support/lab.ts';
import { calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const PLAN = '## Plan\n\n1. Change **a.txt**.\n2. Run the tests.';
const present = calls(['PresentPlan', { plan: PLAN }]);
const edit = calls(['Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' }]);
const QUESTION = 'Start this plan?';

async function planned(script: readonly ReturnType<typeof calls>[], env: Record<string, string> = {}) {
  const space = await workspace({ 'a.txt': 'old\n' });
  const { lab, server } = await openScreen(space, [...script, says('Done.')], { columns: 90, rows: 30, env });
  onTestFinished(() => lab.type('\x03\x03'));
  lab.type('/plan change it\r');
  const decide = (keys: string) => answer(lab, QUESTION, keys);
  const results = () => server.requests.map((request) => request.messages.at(-1)?.results[0]?.text ?? '');
  const shown = () => lab.all().join('\n');
  return { space, lab, server, decide, results, shown };
}

describe('a plan on the screen', () => {
  test('is started with edits accepted: nothing more is asked', soak, async () => {
    const { space, lab, decide, results, shown } = await planned([present, edit]);
    await decide('1\r');
    await lab.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'a.txt': 'new\n' });
    expect(results()[1]).toContain('plan mode is off: edits are accepted');
    // In full, as Markdown, and once.
    expect(shown().match(/1\. Change a\.txt\./g)).toHaveLength(1);
    expect(shown()).toContain('Plan approved: edits are accepted');
    await lab.waitFor('accept edits on');

    lab.type('/plan show\r');
    await lab.waitFor('1. Change **a.txt**.');
  });

  test('is started and asked about, step by step', soak, async () => {
    const { space, lab, decide } = await planned([present, edit]);
    await decide('2\r');
    await answer(lab, 'Edit a.txt?', 'y\r');
    await lab.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'a.txt': 'new\n' });
  });

  test('is sent back with words, and presented again', soak, async () => {
    const { space, lab, decide, results } = await planned([present, edit, present]);
    await decide('3\r');
    await lab.waitFor('What should change?');
    lab.type('tests first\r');
    await lab.waitFor(() => results().length > 2);
    // Plan mode is still on.
    await decide('n\r');
    await lab.waitFor('What should change?');
    lab.type('\r');
    await lab.waitFor('Done.');
    expect(results().slice(1, 4)).toEqual([
      'The user wants another plan: tests first\nRevise it and present it again.',
      expect.stringContaining('no files can be changed in plan mode'),
      'The user wants to keep planning. Ask what to change.',
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'old\n' });
  });

  test('is edited in the editor; that version is sent and kept with the session', soak, async () => {
    const tools = await workspace({});
    const editor = path.join(tools.root, 'editor');
    await writeFile(editor, '#!/bin/sh\nprintf "3. Update the docs.\\n" >> "$1"\n');
    await chmod(editor, 0o755);
    const { space, lab, server, decide, results } = await planned([present], { EDITOR: editor, VISUAL: '' });
    await decide('4\r');
    await lab.waitFor('3. Update the docs.');
    await decide('1\r');
    await lab.waitFor('Done.');
    expect(results()[1]).toContain('The user edited the plan. This version counts:');
    expect(results()[1]).toContain('3. Update the docs.');
    lab.type('\x03\x03');
    await lab.exit;

    const { lab: again } = await openScreen(space, [], {
      columns: 90,
      rows: 30,
      args: ['--continue'],
      env: doors.anthropic(server.url).env,
    });
    onTestFinished(() => again.type('\x03\x03'));
    again.type('/plan show\r');
    await again.waitFor('1. Change **a.txt**.');
    await again.waitFor('3. Update the docs.');
  });

  test('Esc interrupts, and plan mode stays on', soak, async () => {
    const { lab, decide } = await planned([present]);
    await decide('\x1b');
    await lab.waitFor('Interrupted');
    await lab.waitFor('plan');
    lab.type('/plan done\r');
    await lab.waitFor('Plan mode off.');
  });
});

test(
  'the tool for plans is offered from the start to a user who can review plans, so that the prompt cache stays valid',
  soak,
  async () => {
    const { space: _, lab, server, decide } = await planned([present, edit]);
    await decide('1\r');
    await lab.waitFor('Done.');
    lab.type('thanks\r');
    await lab.waitFor(() => server.requests.length > 3);
    const offers = server.requests.map(({ body }) => JSON.stringify(body).includes('"name":"PresentPlan"'));
    expect(offers).toEqual([true, true, true, true]);

    const { lab: other, server: usual } = await openScreen(await workspace({}), [says('Hi.')]);
    onTestFinished(() => other.type('\x03\x03'));
    other.type('hello\r');
    await other.waitFor('Hi.');
    expect(JSON.stringify(usual.requests[0]?.body)).toContain('"name":"PresentPlan"');
  },
);

test('in plain lines a plan is a question with choices', async () => {
  const space = await workspace({ 'a.txt': 'old\n' });
  const server = await serve([present, edit, says('Done.')]);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--mode', 'plan', '--model', model], env);
  await terminal.waitFor('> ');
  terminal.type('plan it\r');
  await terminal.waitFor('Answer (1-3, or type your own): ');
  await terminal.waitFor('  1. Start, and accept edits\n  2. Start, and ask before each edit\n');
  terminal.type('1\r');
  await terminal.waitFor('Done.');
  expect(await space.tree()).toEqual({ 'a.txt': 'new\n' });
});

test('without a user the tool is not offered, and the model is told to answer with the plan', async () => {
  const space = await workspace({});
  const server = await serve([present, says('The plan: nothing.')]);
  const { model, env } = doors.anthropic(server.url);
  const { code, stdout } = await aca(space, ['-p', 'plan it', '--mode', 'plan', '--model', model], {
    env,
  });
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'The plan: nothing.' });
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('"name":"PresentPlan"');
  expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toBe(
    'No user is available to review the plan. Answer with the plan.',
  );
});
