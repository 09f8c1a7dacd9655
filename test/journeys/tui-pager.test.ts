import { describe, expect, test } from 'vitest';
import { decline, type Lab, still } from '../support/lab.ts';
import { calls, says, slowly, thinks } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const CTRL_O = '\u000f';
const ESC = '\u001b';

const inPager = (lab: Lab) => lab.modes().alternate;
const shows = (text: string) => (lab: Lab) => lab.rows().some((row) => row.includes(text));

const numbers = Array.from({ length: 60 }, (_, i) => `row ${i}`);

/** A conversation with a thought, a long output and an edit. */
async function talked() {
  const space = await workspace({ 'a.txt': 'alpha\n', 'list.txt': `${numbers.join('\n')}\n` });
  const { lab, server } = await openScreen(
    space,
    [
      thinks('Let me look at the **list**.', calls(['Bash', { command: 'cat list.txt' }])),
      calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]),
      says('It is done.'),
      slowly(says('This answer comes while you read. And it ends.', { pieceLength: 8 }), { betweenMs: 30 }),
    ],
    { args: ['--mode', 'auto'] },
  );
  lab.type('look\r');
  await lab.waitFor('It is done.');
  await still(lab);
  return { lab, server, space };
}

describe('Ctrl+O', () => {
  test(
    'shows the whole conversation with everything expanded, and leaves the scrollback as it was',
    soak,
    async () => {
      const { lab } = await talked();
      const before = lab.all();
      expect(before.join('\n')).not.toContain('row 30');
      lab.type(CTRL_O);
      await lab.waitFor(inPager);
      await lab.waitFor(shows('It is done.'));
      lab.type('g');
      await lab.waitFor(shows('> look'));
      await lab.waitFor(shows('Let me look at the'));
      await lab.waitFor(shows('row 0'));
      lab.type('/row 31\r');
      await lab.waitFor(shows('row 31'));
      lab.type('G');
      await lab.waitFor(shows('beta'));
      for (const [key, close] of [
        ['q', 'q'],
        ['Esc', ESC],
        ['Ctrl+O', CTRL_O],
      ]) {
        lab.type(close ?? '');
        await lab.waitFor((it) => !inPager(it));
        await still(lab);
        expect(lab.all(), `closed with ${key}`).toEqual(before);
        if (close === CTRL_O) break;
        lab.type(CTRL_O);
        await lab.waitFor(inPager);
      }
      lab.type('typed afterwards');
      await lab.waitFor(shows('typed afterwards'));
    },
  );

  test('what happens meanwhile is drawn once it is closed', soak, async () => {
    const { lab } = await talked();
    lab.type('more\r');
    await lab.waitFor('This answer');
    lab.type(CTRL_O);
    await lab.waitFor(inPager);
    await lab.waitFor(shows('And it ends.'));
    lab.type('q');
    await lab.waitFor((it) => !inPager(it));
    await lab.waitFor('And it ends.');
    await still(lab);
    const shown = lab.all().join('\n');
    expect(shown.split('This answer comes while you read.').length).toBe(2);
  });

  test('fits the screen after a resize', soak, async () => {
    const { lab } = await talked();
    lab.type(CTRL_O);
    await lab.waitFor(inPager);
    lab.resize(50, 15);
    await lab.waitFor((it) => shows('It is done.')(it) && it.rows().at(-1)?.includes('end') === true);
    lab.type('q');
    await lab.waitFor((it) => !inPager(it));
    await lab.waitFor(shows('>'));
  });

  test('an approval that comes meanwhile waits, and is announced', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const edit = calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }]);
    const { lab } = await openScreen(space, [
      says('Hello.'),
      slowly(edit, { firstMs: 1_500 }),
      says('Declined.'),
    ]);
    lab.type('hi\r');
    await lab.waitFor('Hello.');
    lab.type('change it\r');
    await lab.waitFor('> change it');
    lab.type(CTRL_O);
    await lab.waitFor(inPager);
    await lab.waitFor(shows('Waiting for your answer. Press q to go back'));
    lab.type('n');
    await still(lab, 400);
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
    lab.type('q');
    await lab.waitFor((it) => !inPager(it) && shows('beta')(it));
    await decline(lab, 'beta');
    await lab.waitFor('Declined.');
  });

  test('leaving while it is open restores the terminal', soak, async () => {
    const { lab } = await talked();
    lab.type(CTRL_O);
    await lab.waitFor(inPager);
    process.kill(lab.pid, 'SIGTERM');
    await lab.exit;
    expect(lab.modes().alternate).toBe(false);
    expect(lab.cursor().visible).toBe(true);
  });
});
