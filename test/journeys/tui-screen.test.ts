import { describe, expect, test } from 'vitest';
import { answer, fullClears, still } from '../support/lab.ts';
import { both, says, slowly } from '../support/model-server/script.ts';
import { expectScreen, openScreen, runOver } from '../support/screen.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const findings = `# What I found

The **parser** reads \`config.ts\` *twice*: see [the notes](https://example.org/notes).

1. The first time for its imports,
2. the second time for its values:
   - numbers
   - names such as 日本語 and 👩‍👩‍👧‍👦

> Reading once would be enough.

| File | Reads | Why |
|:-----|------:|:----|
| config.ts | 2 | imports, then values |
| main.ts | 1 | once is enough for a file without settings |

\`\`\`ts
export function read(file: string): Config {
  return parse(file); // once
}
\`\`\`

Shall I mend it?`;

const source = 'export function read(file) {\n  load(file);\n  return parse(file);\n}\n';
const edit = both('I will mend it.', [
  'Edit',
  { file_path: 'config.ts', old_string: '  load(file);\n', new_string: '' },
]);

describe('the screen', () => {
  sweep([40, 80, 120, 200])('[C03] [C05] [C09] [C11] looks right at %i columns', async (columns) => {
    const space = await workspace({ 'config.ts': source });
    const { lab } = await openScreen(space, [says(findings, { pieceLength: 7 }), edit, says('Done.')], {
      columns,
    });
    lab.type('what is slow?\r');
    await lab.waitFor('Shall I mend it?');
    await expectScreen(`answer-${columns}`, lab, () => lab.all().map(steady));
    lab.type('yes\r');
    await lab.waitFor('Edit config.ts?');
    await expectScreen(`question-${columns}`, lab, () => lab.rows().map(steady));
    await answer(lab, 'Edit config.ts?', 'y\r');
    await lab.waitFor('Done.');
    await expectScreen(`done-${columns}`, lab, () => lab.all().map(steady));
    expect((await space.tree())['config.ts']).toBe(
      'export function read(file) {\n  return parse(file);\n}\n',
    );
    expect(fullClears(lab.written())).toEqual([]);
    for (const row of lab.all()) expect(row.length).toBeLessThanOrEqual(columns);
  });

  test(
    '[C11] at rest nothing is written, and the cursor stands where the next letter goes',
    soak,
    async () => {
      const { lab } = await openScreen(await workspace(), [says('Hello.')]);
      lab.type('hi\r');
      await lab.waitFor('Hello.');
      await runOver(lab, '<$0.01');
      await expect.poll(() => lab.quiet(1500), { timeout: 20_000 }).toBe(0);
      lab.type('日本e\u0301x');
      await lab.waitFor(({ rows }) => rows().some((row) => /^> 日本e\u0301x ?$/.test(row)));
      await still(lab);
      const { row, column, visible } = lab.cursor();
      expect(visible).toBe(true);
      expect(lab.rows()[row]).toMatch(/^> 日本e\u0301x ?$/);
      expect(column).toBe(2 + 4 + 1 + 1);
      lab.type('\u001b[D\u001b[D');
      await expect
        .poll(() => lab.cursor(), { timeout: 30_000 })
        .toEqual({ row, column: 2 + 4, visible: true });
      await still(lab);
      expect(lab.cursor()).toEqual({ row, column: 2 + 4, visible: true });
    },
  );

  test('a streamed answer is written about once: bytes do not pile up with repaints', soak, async () => {
    const text = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} says something of medium length.`).join(
      '\n\n',
    );
    const script = [slowly(says(text, { pieceLength: 12 }), { betweenMs: 3 })];
    const { lab } = await openScreen(await workspace(), script);
    const before = lab.written().length;
    lab.type('go\r');
    await lab.waitFor('Paragraph 59 says something of medium length.');
    await still(lab);
    const painted = lab.written(before);
    const frames = painted.split('\u001b[?2026h').length - 1;
    // How many frames there are depends on the machine's speed; what each of them takes does not depend on the answer.
    expect(painted.length).toBeLessThan(2 * text.length + 500 * frames);
    expect(fullClears(lab.written())).toEqual([]);
  });

  test('NO_COLOR takes every colour away, and nothing else', async () => {
    const { lab } = await openScreen(await workspace(), [says('**Bold** and `code`.')], {
      env: { NO_COLOR: '1' },
    });
    lab.type('hi\r');
    await lab.waitFor('Bold and `code`.');
    await still(lab);
    const codes = lab
      .written()
      .split('\u001b[')
      .flatMap((part) => /^([\d;]*)m/.exec(part)?.[1]?.split(';') ?? []);
    expect(codes.filter((code) => !WEIGHTS.includes(code))).toEqual([]);
    expect(lab.written()).toContain('\u001b[1mBold');
  });

  test('escape sequences in an answer reach nobody', async () => {
    const { lab } = await openScreen(await workspace(), [
      says(
        'a\u001b[2Jb \u001b]0;owned\u0007 &#27;[3J `\u001bc` \u202eevil\n\n```\n\u001b[?1049h\n```\n\nend.',
      ),
    ]);
    lab.type('hi\r');
    await lab.waitFor('end.');
    await still(lab);
    expect(fullClears(lab.written())).toEqual([]);
    expect(lab.written()).not.toContain('owned\u0007');
    expect(lab.all().join('\n')).toContain('a␛[2Jb ␛]0;owned␇ ␛[3J ␛c');
  });
});

/** Bold, dim, italic, underlined, reversed, struck through, and their ends. */
const WEIGHTS = ['1', '2', '3', '4', '7', '9', '22', '23', '24', '27', '29'];

/** Without what differs between two runs. */
function steady(row: string): string {
  return row
    .replaceAll(/\b\d+(\.\d+)?(s| ms)\b/g, '0s')
    .replace(/^(ai-code-assistant) \S+$/, '$1 0.0.0')
    .replace(/^\/\S+$/, '~/project')
    .replace(/^Tip: .*/, 'Tip: one of many');
}
