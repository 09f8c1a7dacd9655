import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepared } from '../support/aca-server.ts';
import { choosing, type MemberOptions } from '../support/hosted.ts';
import { type Lab, openLab } from '../support/lab.ts';
import { calls, hangs, type Step, says, slowly } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

/** A session of the server with one other participant, in an attached terminal. */
async function attached(
  script: readonly Step[],
  { env = {}, files = {} as Record<string, string>, config = {} } = {},
) {
  const space = await workspace(files);
  await mkdir(path.join(space.home, '.ai-assistant'), { recursive: true, mode: 0o700 });
  await writeFile(path.join(space.home, '.ai-assistant/config.json'), JSON.stringify(config));
  const { start, join } = await prepared(space, script);
  const { url } = await start();
  const ada = await join(url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  const attach = () =>
    openLab(space, ['attach', id.slice(0, 8)], { inShell: true, env, whenDone: onTestFinished });
  return { space, ada, id, attach, lab: attach(), join: (options: MemberOptions) => join(url, options) };
}

/** The prompt is visible, and the model is known. */
const promptShown = (lab: Lab) =>
  lab.rows().some((row) => row.startsWith('>')) && lab.rows().join().includes('sonnet-4');

/** Replaces the text by what `line` writes. */
async function editor({ home }: Workspace, line: string): Promise<string> {
  const file = path.join(home, 'editor.sh');
  await writeFile(file, `#!/bin/sh\n${line}\n`);
  await chmod(file, 0o755);
  return file;
}

test(
  '/clear, /resume and /fork take this terminal to another session at once, and the others stay',
  soak,
  async () => {
    const { ada, id, lab } = await attached([
      says('Hello.'),
      hangs(),
      says('In the new one.'),
      says('In the copy.'),
    ]);
    await ada.prompt(id, 'first');
    await lab.waitFor(promptShown);
    await lab.waitFor('Hello.');
    // A run does not keep the terminal here.
    void ada.prompt(id, 'work').catch(() => undefined);
    await lab.waitFor('work');

    lab.type('/clear\r');
    await lab.waitFor(`Go back to the previous one with: /resume ${id.slice(0, 8)}`);
    await lab.waitFor(() => lab.all().join('\n').split('sonnet-4').length > 2 && promptShown(lab));
    lab.type('second\r');
    await lab.waitFor('In the new one.');
    lab.type(`/resume ${id.slice(0, 8)}\r`);
    await lab.waitFor('Hello.', { times: 2 });
    await lab.waitFor(promptShown);
    // The run that is going on is shown as such.
    await lab.waitFor('esc to interrupt');
    lab.type('/fork\r');
    await lab.waitFor("You're in the copy,");
    await lab.waitFor('Hello.', { times: 3 });
    await lab.waitFor(promptShown);
    lab.type('third\r');
    await lab.waitFor('In the copy.');
    lab.type('\u0004');
    await lab.waitFor('Attach again with: aca attach');

    const copy = /You're in the copy, (\w{8})/.exec(lab.all().join('\n'))?.[1] ?? '';
    expect(lab.all().join('\n')).toContain(`aca attach ${copy}`);
    expect([ada.prompts, ada.said]).toEqual([['first', 'work'], 'Hello.']);
  },
);

describe('an attached terminal', soak, () => {
  test('holds up nobody with its pickers', async () => {
    const { ada, lab, attach } = await attached([says('Hello.'), says('Go on.'), says('And on.')]);
    const other = attach();
    for (const one of [lab, other]) await one.waitFor(promptShown);
    other.type('first\r');
    for (const one of [lab, other]) await one.waitFor('Hello.');

    lab.type('/mode\r');
    await lab.waitFor('Select a permission mode');
    other.type('second\r');
    for (const one of [lab, other]) await one.waitFor('Go on.');
    expect(lab.rows().join('\n')).toContain('Select a permission mode');
    lab.type('\u001b');
    await lab.waitFor(() => !lab.rows().join('\n').includes('Select a permission mode'));

    lab.type('/rewind\r');
    await lab.waitFor('Rewind to before');
    other.type('third\r');
    for (const one of [lab, other]) await one.waitFor('And on.');
    await lab.waitFor('Closed: somebody else sent a prompt.');
    expect(ada.prompts).toEqual(['first', 'second', '/rewind', 'third']);

    // Whoever leaves takes the picker along.
    lab.type('/rewind\r');
    await lab.waitFor(() => lab.rows().join('\n').includes('Rewind to before'));
    lab.hangUp();
    other.type('/mode plan\r');
    await other.waitFor('Mode: plan');
  });

  test('takes what was typed while it connected', async () => {
    const { ada, lab } = await attached([says('Hello.')]);
    await lab.waitFor("'attach'");
    lab.type('typed early\r');
    await lab.waitFor('Hello.');
    expect(ada.prompts).toEqual(['typed early']);
    expect(lab.rows().filter((row) => row.includes('typed early'))).toEqual(['> typed early']);
  });

  test('keeps what it has shown of an answer when it is left', async () => {
    const { ada, id, lab } = await attached([
      slowly(says('One two three four. '.repeat(20), { pieceLength: 20 }), { betweenMs: 100 }),
    ]);
    await lab.waitFor(promptShown);
    void ada.prompt(id, 'count').catch(() => undefined);
    await lab.waitFor('One two three four.', { times: 3 });

    lab.type('\u0004');

    await lab.waitFor('Attach again with: aca attach');
    expect(lab.all().join('\n').split('One two three four.').length).toBeGreaterThan(3);
    await ada.until(() => ada.events.some(({ type }) => type === 'turn_ended'));
  });

  test('rewinds the conversation for everyone', async () => {
    const { ada, id, lab } = await attached([says('Hello.'), says('Second.')]);
    await ada.prompt(id, 'first');
    await ada.prompt(id, 'next');
    await lab.waitFor('Second.');
    await lab.waitFor(promptShown);

    lab.type('/rewind 2 conversation\r');

    await lab.waitFor('Rewound to before "next"');
    await ada.until(() => ada.events.at(-1)?.type === 'turn_ended');
    expect(ada.prompts).toEqual(['first']);
    expect(ada.said).toMatch(/^Hello\.Rewound to before "next"/);
  });

  test('opens the editor of its user, and is suspended and continued', async () => {
    const space = await workspace();
    const EDITOR = await editor(space, 'printf "written elsewhere" > "$1"');
    const { lab, ada } = await attached([says('Understood.')], { env: { EDITOR, VISUAL: '' } });
    await lab.waitFor(promptShown);
    lab.type('\u0007');
    await lab.waitFor('> written elsewhere');

    lab.type('\u001a');
    await lab.waitFor('shell> ', { times: 2 });
    expect(lab.modes()).toEqual({ bracketedPaste: false, focus: false, alternate: false });
    lab.type('fg\r');
    await lab.waitFor(() => lab.modes().bracketedPaste);
    lab.type(' and here\r');
    await lab.waitFor('Understood.');

    expect(ada.prompts).toEqual(['written elsewhere and here']);
  });

  test('shows the status line of its user, what a run did, and who approved it', async () => {
    const { ada, id, lab, space, join } = await attached([calls(read), calls(edit), says('Changed it.')], {
      files: { 'a.txt': 'one\ntwo\n' },
      config: { statusLine: { type: 'command', command: 'echo my own line' } },
    });
    await lab.waitFor(promptShown);
    await lab.waitFor('my own line');
    void ada.prompt(id, 'change it').catch(() => undefined);
    await lab.waitFor('Edit a.txt?');
    const phone = await join({ answer: choosing('once') });
    await phone.attach(id);

    await lab.waitFor('Changed it.');
    await lab.waitFor('1 file +1 −1');

    expect(lab.all().join('\n')).toMatch(/approved: Edit .*a\.txt/);
    expect(await space.tree()).toEqual({ 'a.txt': 'one\nthree\n' });
  });

  test('shows prompts that wait, of everyone, and takes back its own', async () => {
    const { ada, id, lab } = await attached([hangs(), says('Done.')]);
    await lab.waitFor(promptShown);
    lab.type('work\r');
    await ada.until(() => ada.prompts.includes('work'));
    void ada.prompt(id, 'from afar').catch(() => undefined);
    await lab.waitFor('from afar');
    lab.type('and mine\r');
    await ada.until(() => JSON.stringify(ada.events.at(-1)).includes('and mine'));
    await lab.waitFor('Will be sent with the next step');

    lab.type('\u001b[A');

    await lab.waitFor('> and mine');
    await ada.until(() => !JSON.stringify(ada.events.at(-1)).includes('and mine'));
    expect(ada.events.at(-1)).toMatchObject({
      type: 'prompts_waiting',
      prompts: [{ text: 'from afar' }],
    });
  });
});
