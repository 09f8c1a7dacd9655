import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, fullClears } from '../support/lab.ts';
import { calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const BASE = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\r\n`).join('');

const edits = calls(
  ['Edit', { file_path: 'a.txt', old_string: 'line 2\r\n', new_string: 'two\r\n' }],
  ['Edit', { file_path: 'a.txt', old_string: 'line 18', new_string: 'eighteen' }],
  ['Write', { file_path: 'src/new.ts', content: 'export const limit = 10;' }],
);

describe('/changes', () => {
  test('lists what was changed, reverts a hunk beside the own edits of the user, and /undo brings it back', async () => {
    const space = await workspace({ 'a.txt': BASE });
    const file = path.join(space.root, 'a.txt');
    const { lab } = await openScreen(space, [edits, says('Done.')], { args: ['--mode', 'accept-edits'] });
    lab.type('change it\r');
    await lab.waitFor('Done.');
    const changed = BASE.replace('line 2\r', 'two\r').replace('line 18', 'eighteen');
    expect(await readFile(file, 'utf8')).toBe(changed);
    const mine = changed.replace('line 10\r\n', 'line 10, mine\n');
    await writeFile(file, mine);

    lab.type('/changes\r');
    await lab.waitFor('Changes in the last run');
    await lab.waitFor('❯ a.txt       changed  +2 −2  2 hunks');
    expect(lab.rows().join('\n')).toContain('  src/new.ts  new      +1 −0');
    lab.type('\r');
    await lab.waitFor('a.txt · line 2');
    await lab.waitFor('2 + two');
    lab.type('\u001b[B');
    await lab.waitFor('a.txt · line 18');
    lab.type('r');
    await lab.waitFor('Reverted a.txt (line 18); /undo brings it back.');
    expect(await readFile(file, 'utf8')).toBe(mine.replace('eighteen', 'line 18'));
    lab.type('q');
    await lab.waitFor('Reverted one change');

    lab.type('/undo\r');
    await answer(lab, 'Undo this?', 'y\r');
    await lab.waitFor('restored a.txt');
    expect(await readFile(file, 'utf8')).toBe(mine);
    expect(lab.all().filter((row) => row.length > 80)).toEqual([]);
    expect(fullClears(lab.written())).toEqual([]);
  });

  test('sends a hunk back to the model with a comment; nothing changed is said in a line', soak, async () => {
    const space = await workspace({ 'a.txt': BASE });
    const { lab, server } = await openScreen(space, [edits, says('Done.'), says('A constant it is.')], {
      args: ['--mode', 'accept-edits'],
      columns: 44,
      rows: 16,
      env: { NO_COLOR: '1' },
    });
    lab.type('/changes session\r');
    await lab.waitFor('Changes in this session: none.');
    lab.type('change it\r');
    await lab.waitFor('Done.');
    lab.type('/changes session\r');
    await lab.waitFor('❯ a.txt');
    lab.type('\u001b[B\r');
    await lab.waitFor('src/new.ts · new file');
    lab.type('c');
    await lab.waitFor('Comment:');
    lab.type('use a constant here\r');
    await lab.waitFor('A constant it is.');
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toContain(
      'About your change in src/new.ts (new file):\n\n```diff\n@@ -0,0 +1,1 @@\n+export const limit = 10;\n\\ No newline at end of file\n```\n\nuse a constant here',
    );
    expect(lab.all().filter((row) => row.length > 44)).toEqual([]);
  });

  test('in plain mode it prints the files with their counts', async () => {
    const space = await workspace({ 'a.txt': BASE });
    const { lab } = await openScreen(space, [edits, says('Done.')], {
      args: ['--mode', 'accept-edits', '--plain'],
    });
    lab.type('change it\r');
    await lab.waitFor('Done.');
    lab.type('/changes\r');
    await lab.waitFor('2 files +3 -2');
    expect(lab.all()).toEqual(
      expect.arrayContaining([
        'Changes in the last run:',
        '  changed a.txt       +2 -2',
        '  new     src/new.ts  +1 -0',
      ]),
    );
  });
});
