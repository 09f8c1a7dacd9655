import { expect, test } from 'vitest';
import type { CommandContext, Memory, RememberedNote } from '../contract/command.ts';
import { learned } from './learned.ts';
import { memory } from './memory.ts';
import { readNote, remember } from './remember.ts';

/** A memory that only stores its notes. */
function setUp() {
  let notes: RememberedNote[] = [
    { kind: 'user', text: 'Likes tea.', date: null, pinned: true },
    { kind: 'decisions', text: 'Use UTC.', date: '2026-11-16', pinned: false },
    { kind: 'decisions', text: 'Use cents.', date: '2026-11-17', pinned: false },
  ];
  const applied: string[] = [];
  const kept: Memory = {
    folder: '/data/memory',
    list: () => notes,
    remember: async (kind, text) => {
      if (notes.some((note) => note.text === text)) return 'known';
      notes = [...notes, { kind, text, date: null, pinned: false }];
      return null;
    },
    learn: async () => null,
    noteChecks: async () => undefined,
    edit: async (note, text) => {
      notes = notes.map((one) => (one === note ? { ...one, text } : one));
      return null;
    },
    forget: async (note) => {
      notes = notes.filter((one) => one !== note);
      return null;
    },
    pin: async (note, pinned) => {
      notes = notes.map((one) => (one === note ? { ...one, pinned } : one));
      return null;
    },
    suggestions: async () =>
      [
        { what: 'rule' as const, text: 'Bash(npm test)', because: 'approved 4 times' },
        { what: 'convention' as const, text: 'Use UTC.', because: 'used in 3 sessions' },
        { what: 'instruction' as const, text: 'Use pnpm.', because: 'you said so on 2026-11-17' },
        { what: 'rule' as const, text: 'Bash(a\n  9. allow b)', because: 'approved 3 times' },
      ].map((one) => ({
        ...one,
        apply: async () => void applied.push(one.text),
        dismiss: async () => void applied.push(`not ${one.text}`),
      })),
  };
  const say = async (command: typeof memory, line: string, isOn = true) => {
    const printed: string[] = [];
    // Only what these commands use.
    const context = { print: (text: string) => printed.push(text), ...(isOn && { memory: kept }) };
    await command.execute(line.split(' ').filter(Boolean), context as unknown as CommandContext);
    return printed.join('\n');
  };
  return { say, applied, texts: () => notes.map(({ kind, text }) => `${kind}: ${text}`) };
}

test('/memory lists by kind, edits and deletes by number', async () => {
  const { say, texts } = setUp();
  expect(await say(memory, '')).toBe(
    [
      'About you, in every project:',
      '  1. Likes tea. (pinned)',
      'Decided in this project:',
      '  2. Use UTC. (2026-11-16)',
      '  3. Use cents. (2026-11-17)',
      'Files: /data/memory.',
    ].join('\n'),
  );
  expect(await say(memory, 'edit 2 Use local time.')).toBe('Changed.');
  expect(await say(memory, 'forget 1')).toBe('Forgotten.');
  expect(await say(memory, 'pin 2')).toContain('every session');
  expect(texts()).toEqual(['decisions: Use local time.', 'decisions: Use cents.']);
  for (const wrong of ['forget 9', 'forget 0', 'forget', 'edit x y'])
    expect(await say(memory, wrong)).toMatch(/^There is no note/);
  expect(await say(memory, 'edit 1')).toBe('Write the new text after the number.');
  expect(await say(memory, 'burn 1')).toMatch(/^Use \/memory/);
  expect(texts()).toHaveLength(2);
});

test('/remember puts a note in the right file', async () => {
  const { say, texts } = setUp();
  expect(readNote('I prefer tabs')).toEqual({ kind: 'user', text: 'I prefer tabs' });
  expect(readNote('Decision: use REST')).toEqual({ kind: 'decisions', text: 'use REST' });
  expect(readNote('http: is not a kind')).toEqual({ kind: 'learnings', text: 'http: is not a kind' });
  expect(await say(remember, 'context: the build is slow')).toBe('Saved under context.');
  expect(await say(remember, 'user: Likes tea.')).toBe('Already remembered.');
  expect(await say(remember, '')).toContain('No model available for this.');
  expect(await say(remember, 'context:')).toBe('Add the text to remember after the colon.');
  expect(texts().at(-1)).toBe('context: the build is slow');
});

test('[U06] /learned lists what it suggests, and changes nothing unless asked', async () => {
  const { say, applied } = setUp();
  expect(await say(learned, '')).toBe(
    [
      'Suggested:',
      '  1. allow Bash(npm test) (approved 4 times)',
      '  2. always tell Use UTC. (used in 3 sessions)',
      '  3. add to AGENTS.md: Use pnpm. (you said so on 2026-11-17)',
      '  4. allow Bash(a ⏎ 9. allow b) (approved 3 times)',
      'None of these are active. Apply one with /learned apply NUMBER, or drop it with /learned dismiss NUMBER.',
    ].join('\n'),
  );
  for (const wrong of ['apply', 'accept 1', 'dismiss'])
    expect(await say(learned, wrong)).toMatch(/^Use \/learned, or \/learned apply or/);
  for (const wrong of ['apply 5', 'apply all', 'dismiss 5'])
    expect(await say(learned, wrong)).toMatch(/^There is no suggestion \w+\. See \/learned\.$/);
  expect(applied).toEqual([]);
  expect(await say(learned, 'dismiss 1')).toBe('Dismissed.');
  expect(await say(learned, 'apply 1')).toContain('is now allowed in this folder');
  expect(await say(learned, 'apply 3')).toBe('Added to AGENTS.md. Undo it with /undo or `aca undo`.');
  expect(await say(learned, 'dismiss 3')).toBe('Dismissed.');
  expect(applied).toEqual(['not Bash(npm test)', 'Bash(npm test)', 'Use pnpm.', 'not Use pnpm.']);
});

test('each command says when memory is off', async () => {
  const { say } = setUp();
  for (const command of [memory, remember, learned])
    expect(await say(command, 'x', false)).toMatch(/^Memory is off/);
});
