import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keys, typedKeys } from '../../../../test/support/keys.ts';
import { showTo } from '../../../../test/support/mounted-dialog.ts';
import { begin, edit, storeFor, undo } from '../../../../test/support/undo.ts';
import { fileHistory } from '../../../app/conversation/file-history.ts';
import type { CommandContext } from '../../../contract/command.ts';
import type { ChangedFile } from '../../../contract/review.ts';
import { openChanges, pressChanges } from '../dialogs/changes.ts';
import { hunkExtent, renderChanges } from '../dialogs/changes-view.ts';
import { lookOf } from '../dialogs/look.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { Key } from '../view/types.ts';
import { changesByReview } from './changes.ts';
import type { Pickers } from './pickers.ts';

const BASE = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`).join('');
const CHANGED = BASE.replace('line 2\n', 'two\n').replace('line 10\n', 'ten\n');

/** A session of two runs on real files, and a user who presses the given keys. */
async function reviewed(script: readonly (readonly Key[])[], words: string[] = []) {
  const { root, at, store } = await storeFor({ 'src/a.ts': BASE, b: 'b\n' });
  begin(store);
  await edit(store, at('b'), 'B\n');
  begin(store);
  await edit(store, at('src/a.ts'), CHANGED);
  await edit(store, at('src/new.ts'), 'export {};\n');
  const told: string[] = [];
  const { show, screens } = showTo(script, { columns: 64, rows: 18 });
  const content = [{ type: 'text', text: 'first task' }];
  const context = {
    cwd: root,
    print: (text: string) => void told.push(text),
    files: fileHistory(store),
    sessions: {
      ready: Promise.resolve(),
      session: { messages: [{ role: 'user', content, timestamp: new Date(0).toISOString() }] },
    },
    // Only what the command uses.
  } as unknown as CommandContext;
  const desk = { show, send: (text: string) => void told.push(`send: ${text}`) } as unknown as Pickers;
  await changesByReview(words, context, desk);
  return { at, store, told, screens: screens.map((rows) => rows.map((row) => row.trimEnd())) };
}

const inside = (rows: readonly string[] = []) =>
  rows.slice(1, -1).map((row) => row.replace(/^│ /, '').replace(/ *│$/, ''));

test('files are listed with their counts; one opens to its hunks', async () => {
  const { screens, told } = await reviewed([[keys.return, keys.down, keys.escape, keys.escape]]);
  expect(screens[0]?.[0]).toBe(`╭${'─'.repeat(62)}╮`);
  expect(inside(screens[0])).toEqual([
    'Changes in the last run                        2 files +3 −2',
    '❯ src/a.ts    changed  +2 −2  2 hunks',
    '  src/new.ts  new      +1 −0',
    'enter open   r revert   tab session   p since…   esc close',
  ]);
  expect(told).toEqual([]);
});

test('a hunk is reverted, the dialog stays there, and /undo brings it back', async () => {
  const { at, store, screens, told } = await reviewed([
    [keys.return, ...typedKeys('r')],
    [keys.escape, keys.escape],
  ]);
  expect(readFileSync(at('src/a.ts'), 'utf8')).toBe(BASE.replace('line 10\n', 'ten\n'));
  expect(inside(screens[1])).toEqual([
    'src/a.ts · line 10                             1 of 2  +1 −1',
    ' 7   line 7',
    ' 8   line 8',
    ' 9   line 9',
    '10 - line 10',
    '10 + ten',
    '11   line 11',
    '12   line 12',
    'Reverted src/a.ts (line 2); /undo brings it back.',
    '↑↓ next   r revert   c comment   esc files   q close',
  ]);
  expect(told).toEqual(['Reverted one change; /undo brings it back.']);
  await undo(store);
  expect(readFileSync(at('src/a.ts'), 'utf8')).toBe(CHANGED);
});

test('reverting everything ends the review', async () => {
  const { at, told } = await reviewed([typedKeys('r'), typedKeys('r')]);
  expect(readFileSync(at('src/a.ts'), 'utf8')).toBe(BASE);
  expect(told).toEqual(['Reverted src/new.ts; /undo brings it back.']);
});

test('a comment becomes a prompt that quotes the hunk; Esc takes it back', async () => {
  const { told } = await reviewed([
    [
      keys.return,
      ...typedKeys('cnever'),
      keys.escape,
      keys.down,
      ...typedKeys('cuse a constant'),
      keys.return,
    ],
  ]);
  expect(told).toEqual([
    'send: About your change in src/a.ts (line 10):\n\n```diff\n@@ -7,6 +7,6 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n```\n\nuse a constant',
  ]);
});

test('Tab shows the whole session, p asks since which prompt', async () => {
  const { screens } = await reviewed([[keys.tab], typedKeys('p'), [keys.return], [keys.escape]]);
  expect(inside(screens[1])[0]).toContain('Changes in this session');
  expect(inside(screens[1])[1]).toContain('❯ b ');
  expect(screens[2]?.[0]).toBe('Show changes since');
  expect(inside(screens[3])[0]).toContain('Changes since "first task"');
});

test('a file that was changed meanwhile is left alone, and the user is told', async () => {
  const { at, store } = await storeFor({ a: BASE });
  begin(store);
  await edit(store, at('a'), CHANGED);
  const told: string[] = [];
  const first = showTo([typedKeys('r'), [keys.escape]]);
  let turn = 0;
  const show: Pickers['show'] = async (dialog, signal) => {
    const answer = await first.show(dialog, signal);
    if (turn++ === 0) writeFileSync(at('a'), `mine\n${CHANGED}`);
    return answer;
  };
  const context = { cwd: '/', print: (text: string) => void told.push(text), files: fileHistory(store) };
  await changesByReview([], context as unknown as CommandContext, { show } as unknown as Pickers);
  expect(first.screens[1]?.join('\n')).toContain('it was just changed.');
  expect(readFileSync(at('a'), 'utf8')).toBe(`mine\n${CHANGED}`);
});

test('whatever is listed and pressed, it fits the screen', () => {
  const hunk = fc.record({
    id: fc.constant('one'),
    lines: fc.constant(null),
    what: fc.constantFrom('line 2', 'lines 100-2000', 'mode 644 → 755'),
    patch: fc.constantFrom('', '@@ -1,1 +1,2 @@\n-a\n+b\n+ 日本語 👩‍👩‍👧‍👦 and a rather long line of text\n'),
    added: fc.nat(9000),
    removed: fc.nat(9000),
  });
  const file: fc.Arbitrary<ChangedFile> = fc.record({
    path: fc.string({ unit: 'grapheme', maxLength: 60 }).map((name) => `/p/${name}`),
    change: fc.constantFrom('new', 'deleted', 'changed'),
    added: fc.nat(9000),
    removed: fc.nat(9000),
    hunks: fc.array(hunk, { maxLength: 3 }),
    notes: fc.array(fc.string({ maxLength: 90 }), { maxLength: 2 }),
  });
  const pressed = fc.constantFrom(
    keys.up,
    keys.down,
    keys.return,
    keys.escape,
    keys.pagedown,
    ...typedKeys('cxr'),
  );
  const theme = themeOf('dark', 'none');
  fc.assert(
    fc.property(
      fc.array(file, { minLength: 1, maxLength: 30 }),
      fc.array(pressed, { maxLength: 12 }),
      fc.record({ columns: fc.integer({ min: 20, max: 100 }), rows: fc.integer({ min: 3, max: 30 }) }),
      (files, typed, room) => {
        const frame = { ...room, theme, look: lookOf(theme) };
        const text = {
          title: 'Changes in the last run',
          files,
          cwd: '/p',
          note: 'Reverted.',
          other: 'session',
        };
        let state = openChanges(files, { path: '', hunk: null });
        for (const key of typed) {
          const step = pressChanges(state, key, { files, extent: hunkExtent(state, text, frame) });
          if (step.type === 'state') state = step.state;
          const lines = renderChanges(state, text, frame);
          expect(lines.length).toBeLessThanOrEqual(room.rows);
          expect(lines.filter((line) => widthOfLine(line) > room.columns)).toEqual([]);
        }
      },
    ),
    { numRuns: 30 },
  );
});
