import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinCommands } from '../../../commands/index.ts';
import type { WindowUse } from '../../../contract/command.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { Line } from '../view/types.ts';
import { contextLines } from './context-view.ts';
import { helpView } from './help-view.ts';

const none = themeOf('dark', 'none');
const text = (lines: readonly Line[]) => lines.map((line) => line.map((span) => span.text).join(''));

const use: WindowUse = {
  model: 'sonnet',
  window: 200_000,
  total: 96_000,
  compactAt: 157_500,
  parts: [
    { name: 'system prompt', tokens: 4000 },
    { name: 'instructions', tokens: 0 },
    { name: 'tools', tokens: 12_000 },
    { name: 'memory', tokens: 800 },
    { name: 'summary', tokens: 0 },
    { name: 'pins, tasks, files', tokens: 0 },
    { name: 'messages', tokens: 19_200 },
    { name: 'tool results', tokens: 60_000 },
  ],
  biggest: [{ name: 'Read src/server.ts', tokens: 6120 }],
};

test('/context without colors: every part has its own shape', () => {
  expect(text(contextLines(use, { columns: 80, theme: none }))).toEqual([
    '',
    'sonnet: 96k of 200k tokens (48%)',
    '█▒▒▒▒▚▄▄▄▄▄▄░░░░░░░░░░░░░░░░░░·················┆············',
    '█ system prompt     4k    2.0%',
    '▒ tools            12k    6.0%',
    '▚ memory           800    0.4%',
    '▄ messages         19k    9.6%',
    '░ tool results     60k   30.0%',
    '· free            104k   52.0%',
    'Biggest:',
    '  6.1k  Read src/server.ts',
    '┆ Auto-compacts at 158k tokens',
  ]);
});

test.each([
  ['dark', '256'],
  ['light', '256'],
  ['dark', '16'],
  ['light', '16'],
] as const)('the usual parts differ by color, too: %s, %s colors', (name, depth) => {
  const [, , bar = []] = contextLines(use, { columns: 80, theme: themeOf(name, depth) });
  expect(new Set(bar.map(({ style }) => style?.color)).size).toBe(bar.length);
});

test('a description continues under its start; on a narrow screen it stands under the name', () => {
  const commands = [
    {
      name: 'model',
      group: 'Model',
      description: 'Select a model; /model NAME switches right away',
      execute: async () => undefined,
    },
    { name: 'team:release-notes-of-a-week', description: 'Write the notes', execute: async () => undefined },
  ];
  expect(text(helpView(commands, { columns: 54, theme: none }))).toEqual([
    '',
    'Model',
    '  /model              Select a model; /model NAME',
    '                      switches right away',
    '',
    'Custom commands',
    '  /team:release-notes-of-a-week',
    '                      Write the notes',
    '',
    '? for keys · @ mentions a file · !command runs in your',
    'shell',
  ]);
  expect(text(helpView(commands, { columns: 30, theme: none })).slice(2, 5)).toEqual([
    '  /model',
    '    Select a model; /model',
    '    NAME switches right away',
  ]);
});

test('both fit any screen, whatever a custom command is called', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 12, max: 140 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      (columns, name) => {
        const custom = { name, description: name, execute: async () => undefined };
        const lines = [
          ...helpView([...builtinCommands, custom], { columns, theme: none }),
          ...contextLines({ ...use, biggest: [{ name, tokens: 1 }] }, { columns, theme: none }),
        ];
        expect(lines.filter((line) => widthOfLine(line) > columns)).toEqual([]);
      },
    ),
  );
});
