import { expect, test } from 'vitest';
import { answer, prompt, reply } from '../../test/support/histories.ts';
import { keptText, sentSummary } from './kept.ts';
import { folderNote, notedPlaces } from './nested-instructions.ts';

const note = folderNote({ folder: 'lib', file: 'lib/AGENTS.md', text: 'Use tabs.\n' });
const edit = (id: string, file: string, success = true) => [
  reply('', { id, name: 'Edit', input: { file_path: file, old_string: 'a', new_string: 'b' } }),
  answer(id, 'Edit', 'done', { success }),
];
const messages = [
  prompt('go'),
  ...edit('1', 'a.ts'),
  ...edit('2', 'lib/b.ts'),
  ...edit('3', 'a.ts'),
  ...edit('4', 'never.ts', false),
  reply('', { id: '5', name: 'Read', input: { file_path: 'lib/c.ts' } }),
  answer('5', 'Read', 'x', {
    content: [
      { type: 'text', text: 'x' },
      { type: 'text', text: note },
    ],
  }),
  reply('', { id: '6', name: 'MultiEdit', input: { edits: [{ file_path: 'c.ts' }, { file_path: 'd.ts' }] } }),
  answer('6', 'MultiEdit', 'done'),
];

test('[K05] pins, tasks, changed files and folder instructions are kept verbatim', () => {
  const kept = keptText({
    pins: ['port  8080\nonly', 'no jQuery'],
    todos: [
      { text: 'one', status: 'done' },
      { text: 'two', status: 'in_progress' },
    ],
    messages,
    keepFrom: messages.length - 2,
  });
  expect(kept).toBe(
    [
      'Facts pinned by the user:\n- port  8080\nonly\n- no jQuery',
      'Your task list:\n- [x] one\n- [~] two',
      'Files changed so far:\n- lib/b.ts\n- a.ts',
      '[Instructions for work in lib, from lib/AGENTS.md]\nUse tabs.',
    ].join('\n\n'),
  );
  expect(sentSummary({ summary: '[Open: x]', kept })).toBe(`[Open: x]\n\n${kept}`);
});

test('without anything to keep, the result is empty', () => {
  expect(keptText({ pins: [], todos: [], messages, keepFrom: 0 })).toBe('');
  expect(sentSummary({ summary: null, kept: '' })).toBeUndefined();
});

test('folders with delivered instructions are recognized by their notes', () => {
  expect([...notedPlaces(messages).folders]).toEqual(['lib']);
});
