import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fullClears, still } from '../support/lab.ts';
import { both, calls, says, slowly, thinks } from '../support/model-server/script.ts';
import { openScreen, withoutHeader } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const ESC = '\u001b';
const files = {
  'src/auth.ts': Array.from({ length: 11 }, (_, i) => `login ${i}`).join('\n'),
  'src/user.ts': 'login once\n',
};

describe('rows of calls', () => {
  test('say what came out of each call, with paths in the project', soak, async () => {
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
    const shown = withoutHeader(lab.all());
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

  test(
    'consecutive read-only calls grow into one row; failures and what follows have their own',
    soak,
    async () => {
      const space = await workspace(files);
      const { lab } = await openScreen(
        space,
        [
          both(
            'Looking around.',
            ['Read', { file_path: 'src/auth.ts' }],
            ['Read', { file_path: 'src/user.ts' }],
          ),
          slowly(calls(['Grep', { pattern: 'login' }], ['Read', { file_path: 'src/none.ts' }]), {
            betweenMs: 300,
          }),
          thinks('Now the folder.', calls(['List', { path: 'src' }], ['Read', { file_path: 'src/auth.ts' }])),
          calls(['Bash', { command: 'echo fine' }]),
          calls(['Glob', { pattern: '*.ts' }]),
          says('All done.'),
        ],
        { args: ['--mode', 'auto'], columns: 100 },
      );
      lab.type('go\r');
      await lab.waitFor('⠿ Exploring: read 2 files');
      await lab.waitFor('All done.');
      await still(lab);
      const rows = lab.all().filter((row) => /^[✓✗○⠿∴] /.test(row));
      expect(rows).toEqual([
        '✗ Read src/none.ts',
        '✓ Explored: read 2 files, searched 1 pattern, listed 1 folder (ctrl+o)',
        '✓ Bash echo fine (exit 0)',
        '✓ Glob *.ts (2 files)',
      ]);
      expect(fullClears(lab.written())).toEqual([]);
    },
  );

  test('a prompt has a background across its row, and none without colors', soak, async () => {
    const grounds = async (env: Record<string, string>) => {
      const { lab } = await openScreen(await workspace(), [says('Hello.')], { env });
      lab.type('hi there\r');
      await lab.waitFor('Hello.');
      const line = lab.emulator.buffer.active.getLine(lab.all().indexOf('> hi there'));
      return Array.from({ length: 80 }, (_, i) => line?.getCell(i)?.isBgDefault() ?? true);
    };
    expect((await grounds({})).every((isDefault) => !isDefault)).toBe(true);
    expect((await grounds({ NO_COLOR: '1' })).every((isDefault) => isDefault)).toBe(true);
  });

  test('an interrupted command keeps what it had printed', soak, async () => {
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
