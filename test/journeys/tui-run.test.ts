import { describe, expect, test } from 'vitest';
import { decline, type Lab, still } from '../support/lab.ts';
import { both, type CallWords, calls, says, slowly } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const project = {
  'package.json': JSON.stringify({ scripts: { test: 'node test.js', build: 'exit 3' } }),
  'test.js': "if (!require('fs').readFileSync('a.js', 'utf8').includes('fixed')) process.exit(1);\n",
  'a.js': 'one\ntwo\nthree\n',
};
const edit = (old_string: string, new_string: string): CallWords => [
  'Edit',
  { file_path: 'a.js', old_string, new_string },
];
const bash = (command: string): CallWords => ['Bash', { command }];
const free = ['--mode', 'accept-edits', '--allow', 'Bash'];

const footers = (lab: Lab) =>
  lab
    .all()
    .filter((row) => row.startsWith('Worked for'))
    .map((row) => row.replace(/\b[\d.]+s\b/, '0s'));

describe('the footer of a run', () => {
  test('states what changed, which tests passed and the cost, from the record', soak, async () => {
    const space = await workspace(project);
    const { lab } = await openScreen(
      space,
      [
        calls(['Read', { file_path: 'a.js' }], bash('npm test')),
        calls(edit('two\n', 'fixed\nlines\n')),
        calls(bash('printf "x\\ny\\n" > new.txt; cp a.js b.js; rm b.js')),
        calls(bash('cd . && CI=1 npm test 2>&1')),
        says('I changed nothing and ran no tests.'),
        says('Hello.'),
      ],
      { args: free, columns: 100 },
    );
    lab.type('fix it\r');
    await lab.waitFor('Worked for');
    expect(footers(lab)).toEqual([
      expect.stringMatching(/^Worked for 0s · 2 files \+4 −1 · npm test ✓ · \$0\.\d\d$/),
    ]);
    lab.type('hi\r');
    await lab.waitFor('Hello.');
    await still(lab);
    expect(footers(lab)).toHaveLength(1);
  });

  test('names failing tests, what was declined, and leaves out what was restored', soak, async () => {
    const space = await workspace(project);
    const { lab } = await openScreen(
      space,
      [
        calls(['Read', { file_path: 'a.js' }], bash('npm test')),
        calls(edit('two', 'TWO')),
        calls(edit('TWO', 'two')),
        calls(bash('npm run build'), bash('npm test | cat')),
        calls(['Write', { file_path: '/etc/aca-test', content: 'x' }]),
        says('All is well.'),
      ],
      { args: free, columns: 100 },
    );
    lab.type('fix it\r');
    await decline(lab, '/etc/aca-test');
    await lab.waitFor('Worked for');
    // How the piped test ended is not known, so that nothing is said about it.
    expect(footers(lab)).toEqual([
      expect.stringMatching(/^Worked for 0s · npm run build ✗ exit 3 · 1 declined · \$0\.\d\d$/),
    ]);
  });

  test('an interrupted run mentions only what it left behind', soak, async () => {
    const space = await workspace(project);
    const { lab } = await openScreen(
      space,
      [calls(['Read', { file_path: 'a.js' }]), both('Now.', edit('two', '2'), bash('sleep 60')), says('-')],
      { args: free },
    );
    lab.type('go\r');
    await lab.waitFor('Running sleep 60');
    lab.type('\u001b');
    await lab.waitFor('Worked for');
    expect(footers(lab)).toEqual([expect.stringMatching(/^Worked for 0s · 1 file \+1 −1 · /)]);
  });
});

describe('the spinner', () => {
  test(
    'says what happens in the words of the call, for how long, how many tokens, and how to stop it',
    soak,
    async () => {
      const space = await workspace(project);
      const { lab } = await openScreen(
        space,
        [calls(bash('sleep 2; echo slept')), slowly(says('A long answer. '.repeat(60)), { betweenMs: 200 })],
        { args: free },
      );
      lab.type('go\r');
      const spinner = () =>
        lab
          .rows()
          .find((row) => row.endsWith('esc to interrupt'))
          ?.slice(2) ?? '';
      await lab.waitFor(() => /^Running sleep 2; echo slept · \d+s · .*esc to interrupt$/.test(spinner()));
      await lab.waitFor(() => /^Answering · \d+s · ↓ \d+ tokens · esc to interrupt$/.test(spinner()));
      lab.type('\u001b');
      await lab.waitFor(() => spinner() === '');
    },
  );
});
