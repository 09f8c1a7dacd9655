import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { still } from '../support/lab.ts';
import { both, calls, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { workspace } from '../support/workspace.ts';

const ESC = '\u001b';
const files = {
  'src/auth.ts': Array.from({ length: 11 }, (_, i) => `login ${i}`).join('\n'),
  'src/user.ts': 'login once\n',
};

describe('rows of calls', () => {
  test('say what came out of each call, with paths in the project', async () => {
    const space = await workspace(files);
    const file = (name: string) => path.join(space.root, name);
    const edit = { file_path: file('src/user.ts'), old_string: 'once', new_string: 'twice\nor more' };
    const { lab } = await openScreen(
      space,
      [
        both('One.', ['Read', { file_path: file('src/auth.ts') }]),
        both('Two.', ['Grep', { pattern: 'login', path: space.root }]),
        both('Three.', ['Glob', { pattern: '*.ts' }]),
        both('Four.', ['Edit', edit]),
        both('Five.', ['Bash', { command: 'echo fine' }]),
        both('Six.', ['Bash', { command: 'seq 1 40; exit 2' }]),
        both('Seven.', ['Bash', { command: 'seq 1 40' }]),
        both('Eight.', ['Read', { file_path: '/etc/no-such-file' }]),
        says('All done.'),
      ],
      { args: ['--mode', 'auto'], rows: 50 },
    );
    lab.type('go\r');
    await lab.waitFor('All done.');
    await still(lab);
    const shown = lab.all();
    const rows = shown.filter((row) => /^[✓✗○] /.test(row));
    expect(rows).toEqual([
      '✓ Read src/auth.ts (11 lines)',
      '✓ Grep login in . (12 matches in 2 files)',
      '✓ Glob *.ts (2 files)',
      '✓ Edit src/user.ts (+2 −1)',
      '✓ Bash echo fine (exit 0)',
      '✗ Bash seq 1 40; exit 2 (exit 2)',
      '✓ Bash seq 1 40 (exit 0)',
      expect.stringMatching(/^[✗○] Read \/etc\/no-such-file/),
    ]);
    expect(shown.join('\n')).not.toContain(space.root);
    const below = (row: string, count: number) =>
      shown.slice(shown.indexOf(row) + 1, shown.indexOf(row) + 1 + count).map((one) => one.trim());
    expect(below('✓ Bash seq 1 40 (exit 0)', 6)).toEqual([
      '1',
      '2',
      '… +35 lines (ctrl+o)',
      '38',
      '39',
      '40',
    ]);
    expect(below('✗ Bash seq 1 40; exit 2 (exit 2)', 4)).toEqual(['1', '2', '… +30 lines (ctrl+o)', '33']);
  });

  test('an interrupted command keeps what it had printed', async () => {
    const { lab } = await openScreen(
      await workspace(),
      [calls(['Bash', { command: 'seq 1 20; sleep 60' }]), says('Stopped.')],
      { args: ['--mode', 'auto'] },
    );
    lab.type('go\r');
    await lab.waitFor(({ rows }) => rows().some((row) => row.trim() === '20'));
    lab.type(ESC);
    await lab.waitFor(({ all }) => all().some((row) => /^○ Bash seq 1 20; sleep 60 \(interrupted/.test(row)));
    await still(lab);
    const shown = lab.all().map((row) => row.trim());
    const at = shown.findIndex((row) => row.startsWith('○ Bash'));
    expect(shown.slice(at + 1, at + 7)).toEqual(['1', '2', '… +15 lines (ctrl+o)', '18', '19', '20']);
  });
});
