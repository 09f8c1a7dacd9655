import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { answer, decline, openLab, still } from '../support/lab.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const edit = calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]);

test('[C05] the question shows what will happen; a no leaves the file alone and the model is told', async () => {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const { lab, server } = await openScreen(space, [edit, says('All right.')]);
  lab.type('change it\r');
  await lab.waitFor(
    (it) => it.rows().some((row) => /- alpha/.test(row)) && it.rows().some((row) => /\+ beta/.test(row)),
  );
  await decline(lab, '+ beta');
  await lab.waitFor('All right.');
  expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  expect(server.requests[1]?.messages.at(-1)?.results[0]?.isError).toBe(true);
});

test('[C05] a sentence typed at 300 ms a key answers no question that appears meanwhile', async () => {
  const space = await workspace({ 'a.txt': 'alpha\n', 'old.txt': 'kept\n' });
  const remove = calls(['Bash', { command: 'rm old.txt', outside_sandbox: true }]);
  const { lab, server } = await openScreen(space, [slowly(remove, { firstMs: 300 }), edit, says('Done.')]);
  lab.type('change it\r');
  // Enter with text right behind it would be a line of a paste.
  await lab.waitFor(() => server.requests.length > 0);
  const sentence = 'say okay: yes, please';
  for (const key of sentence) {
    lab.type(key);
    await sleep(300);
  }
  await lab.waitFor(`> ${sentence}`);
  await lab.waitFor('A question is waiting: finish your prompt, or press esc to see it.');
  lab.type('\u001b');
  await answer(lab, 'Run this command outside the sandbox?', '\r');
  await lab.waitFor('Select an answer first (↑↓ or 1-2)');
  expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n', 'old.txt': 'kept\n' });
  await decline(lab, 'outside the sandbox?');
  await lab.waitFor(`> ${sentence}`);
  lab.type('\r');
  await answer(lab, '+ beta', 'y\r');
  await lab.waitFor('Done.');
  expect(await space.tree()).toEqual({ 'a.txt': 'beta\n', 'old.txt': 'kept\n' });
  const settings = await readFile(path.join(space.home, '.ai-assistant/config.json'), 'utf8').catch(
    () => '{}',
  );
  expect(settings).not.toContain('granted');
  expect(
    server.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n'),
  ).toContain(sentence);
});

test('what is typed while the model works waits in sight, and is sent next', async () => {
  const first = slowly(says('The first answer is slow to come.', { pieceLength: 4 }), { betweenMs: 60 });
  const { lab, server } = await openScreen(await workspace(), [first, says('The second answer.')]);
  lab.type('first\r');
  await lab.waitFor('The first');
  lab.type('second\r');
  await lab.waitFor((it) => it.rows().some((row) => row.includes('second')));
  await lab.waitFor('The second answer.');
  expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['first', 'second']);
});

test('words typed before the prompt is painted are kept', soak, async () => {
  const { lab, server } = await openScreen(await workspace(), [says('Heard.')], { typed: 'early words' });
  await lab.waitFor('> early words');
  lab.type('\r');
  await lab.waitFor('Heard.');
  expect(server.requests[0]?.messages.at(-1)?.text).toBe('early words');
});

test('a prompt typed and sent before anything is painted is sent', soak, async () => {
  const { lab, server } = await openScreen(await workspace(), [says('Heard.')], { typed: 'early words\r' });
  await lab.waitFor('Heard.');
  expect(server.requests[0]?.messages.at(-1)?.text).toBe('early words');
});

test('a slash completes commands, and Tab takes one', async () => {
  const { lab } = await openScreen(await workspace(), []);
  lab.type('/hel');
  await lab.waitFor((it) => it.rows().some((row) => row.includes('/help') && !row.startsWith('>')));
  lab.type('\t');
  await lab.waitFor((it) => it.rows().some((row) => row.startsWith('> /help')));
});

test('an at sign completes files that are not ignored', async () => {
  const space = await workspace({
    '.gitignore': 'dist\n',
    'src/parser.ts': '',
    'src/printer.ts': '',
    'dist/parser.js': '',
  });
  const { lab } = await openScreen(space, []);
  lab.type('look at @parse');
  await lab.waitFor((it) => it.rows().some((row) => row.includes('src/parser.ts')));
  expect(lab.rows().join('\n')).not.toContain('dist/parser.js');
  lab.type('\t');
  await lab.waitFor((it) => it.rows().some((row) => row.startsWith('> look at @src/parser.ts')));
});

test('a paste of many lines is one block, sent as it was', async () => {
  const { lab, server } = await openScreen(await workspace(), [says('Read it.')]);
  const text = Array.from({ length: 40 }, (_, i) => `row ${i}`).join('\n');
  lab.paste(text);
  await lab.waitFor('pasted 40 lines');
  lab.type('\r');
  await lab.waitFor('Read it.');
  expect(server.requests[0]?.messages.at(-1)?.text).toContain(text);
});

test(
  'a pasted text cannot end its paste: what follows its end mark is text, and runs and sends nothing',
  soak,
  async () => {
    const space = await workspace();
    const { lab, server } = await openScreen(space, [says('Read it.')]);
    const mark = '\u001b[201~';
    const hostile = `harmless${mark}\r!touch made\r\u001b[200~${mark}\u0003!touch made\r\u009b201~\r`;
    const whole = `\u001b[200~${hostile}${mark}`;
    lab.type(whole);
    await lab.waitFor((it) => it.rows().some((row) => row.includes('harmless')));
    await still(lab, 300);
    // However it is cut on its way.
    for (let at = 0; at < whole.length; at += 9) lab.type(whole.slice(at, at + 9));
    // A terminal that does not mark pastes.
    await still(lab, 300);
    lab.type('one line\r!touch made\rand another\r');
    await lab.waitFor((it) => it.rows().some((row) => /and another|pasted/.test(row)));
    await still(lab, 300);
    expect(server.requests).toEqual([]);
    expect(await space.tree()).toEqual({});
    lab.type('\r');
    await lab.waitFor('Read it.');
    expect(server.requests).toHaveLength(1);
    expect(await space.tree()).toEqual({});
  },
);

test('lines can be broken, and history comes back with the arrows', async () => {
  const { lab, server } = await openScreen(await workspace(), [says('One.'), says('Two.')]);
  lab.type('first\\\rsecond\r');
  await lab.waitFor('One.');
  expect(server.requests[0]?.messages.at(-1)?.text).toBe('first\nsecond');
  await still(lab);
  lab.type('\u001b[A');
  await lab.waitFor('> first', { times: 2 });
  lab.type('\r');
  await lab.waitFor('Two.');
  expect(server.requests[1]?.messages.at(-1)?.text).toBe('first\nsecond');
});

test('[N06] nothing to talk to: Enter alone fetches nothing, the download is asked about first', async () => {
  const lab = openLab(await workspace(), [], { whenDone: onTestFinished });
  await lab.waitFor('Download a model');
  lab.type('\r');
  await lab.waitFor('Select a model to download.');
  lab.type('\r');
  await answer(lab, 'and the runtime it needs?', 'n\r');
  await lab.waitFor('Welcome!');
});

test('what a command after ! prints is seen while it runs, and the model hears of it', async () => {
  const space = await workspace();
  const { lab, server } = await openScreen(space, [says('I see.')]);
  lab.type('!echo first; while [ ! -e go ]; do sleep 0.05; done; echo second\r');
  await lab.waitFor((it) => it.all().includes('first'));
  expect(lab.all()).not.toContain('second');
  await writeFile(path.join(space.root, 'go'), '');
  await lab.waitFor((it) => it.all().includes('second'));
  lab.type('and now?\r');
  await lab.waitFor('I see.');
  expect(server.requests[0]?.messages.at(-1)?.text).toContain('first\nsecond');
});
