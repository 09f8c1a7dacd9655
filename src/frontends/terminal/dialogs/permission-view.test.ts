import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { noLook } from '../../../../test/support/look.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import { themeOf } from '../theme/theme.ts';
import { type ChoiceState, openChoices } from './choices.ts';
import { lookOf, textOfLine } from './look.ts';
import { panelExtent, renderPanel } from './panel.ts';
import { choicesOf } from './permission.ts';
import { permissionPanel } from './permission-view.ts';
import { lineOf } from './text-line.ts';

const edit: PermissionRequest = {
  callId: 'c1',
  tool: 'Edit',
  operation: 'Edit src/auth.ts',
  accesses: [{ kind: 'write', target: 'src/auth.ts' }],
  because: 'changes a file',
  preview: {
    kind: 'diff',
    path: 'src/auth.ts',
    patch: `--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -1,20 +1,20 @@\n${Array.from({ length: 20 }, (_, i) => `-old ${i}\n+new ${i}`).join('\n')}\n`,
    added: 20,
    removed: 20,
  },
  grants: ['Edit(src/auth.ts)'],
  acceptEdits: true,
};

const bash: PermissionRequest = {
  callId: 'c2',
  tool: 'Bash',
  operation: 'Bash ls && rm -rf build',
  accesses: [{ kind: 'execute', target: 'ls && rm -rf build' }],
  because: 'rm deletes files',
  parts: [
    { text: 'ls', verdict: 'allow', because: 'only reads', span: { start: 0, end: 2 } },
    { text: 'rm -rf build', verdict: 'ask', because: 'rm deletes files', span: { start: 6, end: 18 } },
  ],
  sandbox: { kind: 'host', level: 'permissive', network: 'open' },
};

const draw = (display: unknown) =>
  (display as { patch: string }).patch
    .trimEnd()
    .split('\n')
    .map((text) => [{ text }]);

type Size = { columns: number; rows: number };

const panelOf = (request: PermissionRequest) => ({
  ...permissionPanel(request, draw),
  choices: choicesOf(request).list,
});

function screen(request: PermissionRequest, size: Size, changed: Partial<ChoiceState> = {}) {
  const state = { ...openChoices(choicesOf(request)), ...changed };
  return renderPanel(panelOf(request), state, { ...size, look: noLook }).map(textOfLine);
}

/** Without the frame. */
function inside(rows: readonly string[]): string[] {
  return rows.slice(1, -1).map((row) => row.slice(2, -2).trimEnd());
}

describe('[C05] the prompt shows exactly what will happen', () => {
  test('a command once, the reason it is risky, and the missing sandbox', () => {
    const shown = screen({ ...bash, queue: { position: 1, total: 3 } }, { columns: 60, rows: 20 });
    expect(shown).toEqual([
      `╭${'─'.repeat(58)}╮`,
      '│ Run this command?                                 1 of 3 │',
      '│   ls && rm -rf build                                     │',
      '│ rm deletes files                                         │',
      '│ ! Not sandboxed: runs with your full permissions         │',
      '│                                                          │',
      '│   1. Yes                                                 │',
      '│   2. No, and tell it what to do                          │',
      '│ ↑↓ or 1-2 select   enter answer   esc to interrupt       │',
      `╰${'─'.repeat(58)}╯`,
    ]);
  });

  test('the risky part of a command is marked where it is, with and without colors', () => {
    for (const depth of ['truecolor', '16', 'none'] as const) {
      const frame = { columns: 60, rows: 20, look: lookOf(themeOf('dark', depth)) };
      const lines = renderPanel(panelOf(bash), openChoices({}), frame);
      const marked = lines.flat().filter(({ style }) => style?.underline);
      expect(marked.map(({ text }) => text)).toEqual(['rm -rf build']);
    }
  });

  test('a command that is risky as a whole is not marked', () => {
    const whole = { ...bash, accesses: [{ kind: 'execute' as const, target: 'rm -rf build' }] };
    const parts = [
      { text: 'rm -rf build', verdict: 'ask' as const, because: 'x', span: { start: 0, end: 12 } },
    ];
    const frame = { columns: 60, rows: 20, look: lookOf(themeOf('dark', 'none')) };
    const lines = renderPanel(panelOf({ ...whole, parts }), openChoices({}), frame);
    expect(lines.flat().filter(({ style }) => style?.underline)).toEqual([]);
  });

  test('a command that does not fit starts with its risky parts', () => {
    const target = `${'echo step\n'.repeat(40)}rm -rf build`;
    const span = { start: target.length - 12, end: target.length };
    const parts = [{ text: 'rm -rf build', verdict: 'ask' as const, because: 'rm deletes files', span }];
    const long = { ...bash, parts, accesses: [{ kind: 'execute' as const, target }] };
    const shown = inside(screen(long, { columns: 60, rows: 20 }));
    expect(shown.slice(0, 5)).toEqual([
      'Run this command?',
      '! rm -rf build   (rm deletes files)',
      'rm deletes files',
      '! Not sandboxed: runs with your full permissions',
      '  echo step',
    ]);
    expect(shown.join('\n')).toContain('lines 1-12 of 44 · pgdn, end to scroll');
  });

  test('outside the sandbox is said in the question', () => {
    const accesses = [{ kind: 'execute' as const, target: 'make', unconfined: true as const }];
    expect(inside(screen({ ...bash, accesses }, { columns: 80, rows: 20 }))[0]).toBe(
      'Run this command outside the sandbox?',
    );
  });

  test('at 40x12 the question and every key are visible, and the diff scrolls', () => {
    expect(screen(edit, { columns: 40, rows: 12 })).toEqual([
      'Edit src/auth.ts?',
      '--- a/src/auth.ts',
      '+++ b/src/auth.ts',
      '@@ -1,20 +1,20 @@',
      '-old 0',
      '+new 0',
      '-old 1',
      '+new 1',
      'lines 1-7 of 43 · pgdn, end to scroll',
      ' 1 yes    2 all edits   3 session',
      '4 always   5 no   enter answer',
      'esc stop',
    ]);
  });

  test('its end is one key away', () => {
    expect(screen(edit, { columns: 40, rows: 8 }, { top: 1000 })).toEqual([
      'Edit src/auth.ts?',
      '+new 18',
      '-old 19',
      '+new 19',
      'lines 41-43 of 43 · pgdn, end to scroll',
      ' 1 yes    2 all edits   3 session',
      '4 always   5 no   enter answer',
      'esc stop',
    ]);
  });

  test('a path that leads elsewhere, and a folder that is not in the title', () => {
    const request = {
      ...bash,
      parts: [],
      accesses: [...bash.accesses, { kind: 'read' as const, target: '/srv' }],
      leadsTo: [{ written: 'link/x', real: '/etc/x' }],
      sandbox: { kind: 'bubblewrap' as const, level: 'standard' as const, network: 'none' as const },
    };
    expect(inside(screen(request, { columns: 80, rows: 20 })).slice(1, 6)).toEqual([
      '  ls && rm -rf build',
      'rm deletes files',
      'reads /srv',
      '! link/x leads to /etc/x',
      'Sandboxed: can write only in this folder, no network',
    ]);
  });

  test('a title that does not fit is shown completely in the body', () => {
    const operation = `Fetch ${'x'.repeat(100)}`;
    const request = { callId: 'c', tool: 'Fetch', operation, accesses: [], because: '' };
    const shown = inside(screen(request, { columns: 44, rows: 16 }));
    expect(shown.slice(0, 2)).toEqual(['Fetch', `${'x'.repeat(39)}…`]);
    expect(shown.slice(2, 6).join('')).toBe(`Fetch${'x'.repeat(100)}`);
  });

  test('escape sequences are shown and not executed', () => {
    const accesses = [{ kind: 'execute' as const, target: '\u001b[2Jls\nRun this command?' }];
    const shown = inside(
      screen({ ...bash, parts: [], accesses, because: 'a\u202eb' }, { columns: 80, rows: 20 }),
    );
    expect(shown.slice(0, 4)).toEqual(['Run this command?', '  ␛[2Jls', '  Run this command?', 'a<U+202E>b']);
  });
});

test('the text for the model is typed in place of the choices', () => {
  const typing = { name: 'no', label: 'What should it do instead? ', line: lineOf('use yarn') };
  expect(inside(screen(bash, { columns: 60, rows: 14 }, { typing })).slice(-2)).toEqual([
    'What should it do instead? use yarn',
    'enter send   esc back',
  ]);
});

test('for any request and screen size, it fits, and every key is visible', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 60 });
  const request = fc.record({
    operation: word,
    because: word,
    grants: fc.array(word, { maxLength: 3 }),
    target: fc.array(word, { maxLength: 20 }).map((lines) => lines.join('\n')),
  });
  const size = fc.record({
    columns: fc.integer({ min: 20, max: 120 }),
    rows: fc.integer({ min: 8, max: 40 }),
  });
  fc.assert(
    fc.property(request, size, fc.nat(50), ({ target, ...words }, { columns, rows }, top) => {
      const accesses = [{ kind: 'execute' as const, target }];
      const shown = screen({ ...bash, ...words, accesses }, { columns, rows }, { top });
      expect(shown.length).toBeLessThanOrEqual(rows);
      expect(shown.filter((line) => stringWidth(line) > columns)).toEqual([]);
      expect(shown.slice(0, 2).join('')).toMatch(/Run this/);
      expect(shown.join(' ')).toMatch(/1 yes.*\d no.*esc stop|1\. Yes.*No, and tell/);
    }),
  );
});

test('every row of the body can be scrolled into view', () => {
  const frame = { columns: 40, rows: 10, look: noLook };
  const panel = panelOf(edit);
  const extent = panelExtent(panel, openChoices({}), frame);
  const seen = new Set<string>();
  for (let top = 0; top < extent.total; top++)
    for (const line of screen(edit, frame, { top })) seen.add(line);
  expect(
    panel
      .body(frame)
      .map(textOfLine)
      .filter((line) => !seen.has(line)),
  ).toEqual([]);
});
