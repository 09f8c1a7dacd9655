import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, decline, still } from '../support/lab.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { openScreen } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const END = '\x1b[F';
const PAGE_DOWN = '\x1b[6~';
const FIRST = 'Scroll to the end first (end)';
const ASKED = '1. Yes';

/** Long enough that its end is below any terminal's bottom. */
const steps = Array.from({ length: 120 }, (_, i) => `echo step-${i}`);
const command = [...steps, 'touch risky-end'].join('\n');

async function asked(size: { columns: number; rows: number }) {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const { lab } = await openScreen(space, [calls(['Bash', { command }]), says('Done.')], size);
  lab.type('go\r');
  await lab.waitFor(ASKED);
  await still(lab);
  const screen = () => lab.rows().join('\n');
  onTestFinished(() => lab.type('\x03\x03'));
  return { space, lab, screen };
}

describe('a command whose end is off screen', () => {
  sweep([
    ['1\r', { columns: 80, rows: 24 }],
    ['2\r', { columns: 80, rows: 30 }],
    ['3\r', { columns: 120, rows: 40 }],
    ['\t\r', { columns: 70, rows: 24 }],
    ['\x1b[Z\r', { columns: 70, rows: 24 }],
  ])('is not approved by %j before it was scrolled to', async (yes, size) => {
    const { space, lab, screen } = await asked(size);
    // Its risky part comes first; its last line is not visible yet.
    expect(screen()).toContain('! touch risky-end   (touch creates or updates risky-end)');
    expect(screen()).not.toContain('  touch risky-end');
    await answer(lab, ASKED, yes);
    await lab.waitFor(FIRST);
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });

    lab.type(END);
    await lab.waitFor('  touch risky-end');
    lab.type('1\r');
    await lab.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n', 'risky-end': '' });
  });

  test('is approved after its pages were gone through', soak, async () => {
    const { space, lab, screen } = await asked({ columns: 80, rows: 30 });
    const isAtEnd = () => /lines \d+-(\d+) of \1 /.test(screen());
    while (!isAtEnd()) await answer(lab, ASKED, PAGE_DOWN);
    lab.type('1\r');
    await lab.waitFor('Done.');
    expect(await space.tree()).toHaveProperty('risky-end');
    expect(lab.all().join('\n')).not.toContain(FIRST);
  });

  test('can be declined at once', soak, async () => {
    const { space, lab } = await asked({ columns: 80, rows: 24 });
    await decline(lab, ASKED);
    await lab.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  });
});

test('a long change is not approved before its end was in sight, and a short one at once', soak, async () => {
  const old = Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join('');
  const space = await workspace({ 'a.txt': old, 'b.txt': 'alpha\n' });
  const { lab } = await openScreen(
    space,
    [
      calls(
        ['Read', { file_path: 'a.txt' }],
        ['Edit', { file_path: 'b.txt', old_string: 'alpha', new_string: 'beta' }],
      ),
      calls(['Write', { file_path: 'a.txt', content: old.replaceAll('line', 'row') }]),
      says('Done.'),
    ],
    { columns: 80, rows: 30 },
  );
  onTestFinished(() => lab.type('\x03\x03'));
  lab.type('go\r');
  await answer(lab, 'Edit b.txt?', '\r');
  await lab.waitFor('Write a.txt?');
  expect(await readFile(path.join(space.root, 'b.txt'), 'utf8')).toBe('beta\n');
  await answer(lab, 'Write a.txt?', 'y\r');
  await lab.waitFor(FIRST);
  lab.type(END);
  await lab.waitFor('row 199');
  lab.type('y\r');
  await lab.waitFor('Done.');
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe(old.replaceAll('line', 'row'));
});

test(
  'a yes on the screen opens a path outside the project, and the folder when it is to last',
  soak,
  async () => {
    const space = await workspace();
    const out = path.join(path.dirname(space.root), 'outside');
    await mkdir(out);
    await writeFile(path.join(out, 'a.txt'), 'alpha\n');
    await writeFile(path.join(out, 'b.txt'), 'beta\n');
    const file = (name: string) => path.join(out, name);
    const { lab, server } = await openScreen(
      space,
      [
        calls(['Edit', { file_path: file('a.txt'), old_string: 'alpha', new_string: 'gamma' }]),
        calls(['Read', { file_path: file('a.txt') }]),
        calls(['Read', { file_path: file('b.txt') }]),
        says('Done.'),
      ],
      { columns: 100, rows: 30 },
    );
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    for (const [title, key] of [
      ['Edit /', 'y\r'],
      ['Read /', '2\r'],
    ] as const) {
      await answer(lab, title, key);
    }
    await lab.waitFor('Done.');
    expect(await readFile(file('a.txt'), 'utf8')).toBe('gamma\n');
    const told = server.requests.slice(2).map((request) => request.messages.at(-1)?.results[0]?.text);
    expect(told).toEqual(['1\tgamma', '1\tbeta']);
  },
);

describe('the approval prompt', () => {
  const edits = ['a', 'b', 'c'].map((name): [string, object] => [
    'Edit',
    { file_path: `${name}.txt`, old_string: 'old', new_string: 'new' },
  ]);

  async function edited(...keys: readonly (readonly [question: string, typed: string])[]) {
    const space = await workspace({ 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'old\n' });
    const { lab, server } = await openScreen(space, [calls(...edits), says('Done.')], {
      columns: 100,
      rows: 30,
    });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    for (const [question, typed] of keys) await answer(lab, question, typed);
    await lab.waitFor('Done.');
    const results = server.requests[1]?.messages.at(-1)?.results.map(({ text }) => text) ?? [];
    return { lab, tree: await space.tree(), results };
  }

  const done = { 'a.txt': 'new\n', 'b.txt': 'new\n', 'c.txt': 'new\n' };

  test('says how many wait, and is answered by Enter, after a digit or a letter', soak, async () => {
    const { tree } = await edited(['1 of 3', '\r'], ['2 of 3', '1\r'], ['3 of 3', 'y\r']);
    expect(tree).toEqual(done);
  });

  sweep([
    ['Shift+Tab, Enter', '\x1b[Z\r'],
    ['the second row', '\x1b[B\r'],
  ])('%s accepts all edits of the session', async (_, keys) => {
    const { lab, tree } = await edited(['1 of 3', keys]);
    expect(tree).toEqual(done);
    await lab.waitFor('accept');
  });

  test('Shift+Tab selects to run sandboxed commands without asking; edits are still asked about', async ({
    skip,
  }) => {
    if (noBubblewrap !== null) skip(noBubblewrap);
    const space = await workspace({ 'a.txt': 'old\n' });
    const touch = (name: string): [string, object] => ['Bash', { command: `touch ${name}` }];
    const script = [calls(touch('one')), calls(touch('two')), calls(edits[0] ?? touch('x')), says('Done.')];
    const { lab } = await openScreen(space, script, { columns: 100, rows: 30 });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    await answer(lab, 'Yes, and run commands in the sandbox without asking', '\x1b[Z');
    await lab.waitFor('❯ 2. Yes, and run commands in the sandbox');
    expect(await space.tree()).toEqual({ 'a.txt': 'old\n' });
    lab.type('\r');
    await answer(lab, 'Edit a.txt?', 'y\r');
    await lab.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'a.txt': 'new\n', one: '', two: '' });
    expect(lab.all().join('\n')).not.toContain('Run this command?');
  });

  test('the last row asks what to do instead, and the model reads it', soak, async () => {
    const { tree, results } = await edited(
      ['1 of 3', '\x1b[A\r'],
      ['What should it do instead?', 'use a constant\r'],
      ['2 of 3', 'n\r'],
      ['What should it do instead?', '\r'],
      ['3 of 3', 'y\r'],
    );
    expect(tree).toEqual({ 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'new\n' });
    expect(results.slice(0, 2)).toEqual(['User denied permission: use a constant', 'User denied permission']);
  });

  test('is not answered by Enter that was typed for the prompt', soak, async () => {
    const space = await workspace({});
    const touch = slowly(calls(['Bash', { command: 'touch made' }]), { firstMs: 1_000 });
    const { lab, server } = await openScreen(space, [touch, says('Done.')], { columns: 100, rows: 30 });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    // Enter with text right behind it would be a line of a paste.
    await lab.waitFor(() => server.requests.length > 0);
    // As a user who types on while the model works, and does not look up.
    const typing = setInterval(() => lab.type('x'), 20);
    await lab.waitFor('A question is waiting').finally(() => clearInterval(typing));
    lab.type('x\r');
    await lab.waitFor(ASKED);
    await still(lab, 600);
    expect(lab.rows().join('\n')).toContain(ASKED);
    expect(await space.tree()).toEqual({});
  });

  test('is repainted when the terminal becomes smaller than its rows', soak, async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i}\n`).join('');
    const space = await workspace({});
    const write = calls(['Write', { file_path: 'a.txt', content: lines }]);
    const { lab } = await openScreen(space, [write, says('Done.')], { columns: 100, rows: 30 });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    await lab.waitFor(ASKED);
    await still(lab, 600);
    for (const columns of [60, 44, 90]) {
      lab.resize(columns, 26);
      const top = `╭${'─'.repeat(columns - 2)}╮`;
      await lab.waitFor((it) => it.rows().includes(top) && it.rows().join('\n').includes(ASKED), {
        limitMs: 8_000,
      });
      await still(lab);
    }
  });

  test('shows a command once, and what the sandbox permits', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const call = calls(['Bash', { command: 'cat a.txt && touch made' }]);
    const { lab } = await openScreen(space, [call, says('Done.')], { columns: 100, rows: 30 });
    onTestFinished(() => lab.type('\x03\x03'));
    lab.type('go\r');
    await lab.waitFor(ASKED);
    await still(lab, 600);
    const screen = lab.rows().join('\n');
    expect(screen).toContain('Run this command?');
    expect(screen.split('touch made').length - 1).toBe(3);
    expect(screen).toContain("Yes, and don't ask again for cat a.txt && touch made this session");
    expect(screen).toMatch(/(Sandboxed: can write only in this folder, no network|! Not sandboxed)/);
    expect(screen).not.toMatch(/changes a file|why it is asked/);
  });
});

test("the model's question and the answer stay in the transcript, also after --continue", soak, async () => {
  const space = await workspace({});
  const ask = calls(['AskUser', { question: 'Which colour?', choices: ['red', 'blue'] }]);
  const size = { columns: 80, rows: 24 };
  const { lab, server } = await openScreen(space, [ask, says('Done.')], size);
  lab.type('go\r');
  await answer(lab, '❯ 1. red', '2\r');
  await lab.waitFor('Done.');
  const exchange = /AskUser Which colour\?[^\n]*\n {2}blue\n[\s\S]*Done\./;
  expect(lab.all().join('\n')).toMatch(exchange);
  expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toBe('blue');
  lab.type('\u0004');
  await lab.exit;

  const { lab: again } = await openScreen(space, [], { ...size, args: ['--continue'] });
  await again.waitFor('Done.');
  expect(again.all().join('\n')).toMatch(exchange);
  again.type('\u0004');
});

test('a no counts for the run: the next prompt asks again', soak, async () => {
  const space = await workspace({});
  const touch = calls(['Bash', { command: 'touch made' }]);
  const { lab, server } = await openScreen(space, [touch, touch, says('Declined.'), touch, says('Done.')], {
    columns: 100,
    rows: 30,
  });
  onTestFinished(() => lab.type('\x03\x03'));
  lab.type('make it\r');
  await decline(lab, ASKED);
  await lab.waitFor('Declined.');
  expect(JSON.stringify(server.requests[2]?.body)).toContain('already declined in this run');

  lab.type('yes, do it\r');
  await answer(lab, ASKED, '1\r');
  await lab.waitFor('Done.');
  expect(await space.tree()).toEqual({ made: '' });
});

test('the status bar follows the mode, whoever changes it', async () => {
  const { lab } = await openScreen(await workspace({}), [], { columns: 100, rows: 30 });
  onTestFinished(() => lab.type('\x03\x03'));
  for (const [typed, mode] of [
    ['/plan\r', 'plan mode on'],
    ['/plan done\r', 'asks before changes'],
    ['/mode auto\r', 'auto mode on'],
    ['/mode plan\r', 'plan mode on'],
    ['\x1b[Z', 'asks before changes'],
  ] as const) {
    lab.type(typed);
    await lab.waitFor(({ rows }) => rows().some((row) => row.startsWith(`${mode} (shift+tab)`)));
  }
});

test('an edit that cannot apply is not put to the user', async () => {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const edit = (old_string: string, file_path = 'a.txt') => ({ file_path, old_string, new_string: 'beta' });
  const { lab, server } = await openScreen(
    space,
    [
      calls(['Read', { file_path: 'a.txt' }]),
      calls(['Edit', edit('gamma')], ['Edit', edit('x', 'none.txt')], ['Delete', { file_path: 'none.txt' }]),
      says('Nothing to change.'),
    ],
    { columns: 100, rows: 30 },
  );
  onTestFinished(() => lab.type('\x03\x03'));
  lab.type('change it\r');
  await lab.waitFor('Nothing to change.');
  expect(lab.all().join('\n')).not.toContain(ASKED);
  const answers = JSON.stringify(server.requests[2]?.body);
  expect(answers).toContain('String not found in file');
  expect(answers).toContain('none.txt');
});
