import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEntry } from './entry.ts';
import { projectKey } from './project-key.ts';
import { MemoryStore, type Note, type NoteKind } from './store.ts';

async function setUp() {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-memory-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const project = path.join(base, 'project');
  await mkdir(project);
  const folder = path.join(base, 'memory');
  const open = () => new MemoryStore({ folder, project });
  return { folder, project, open, store: open() };
}

function note(kind: NoteKind, text: string, date = '2026-11-16'): Note {
  return { kind, ...newEntry(text, { date, session: '9d923fc9' }) };
}

test('[M01] one file about the user, three per project in its own folder', async () => {
  const { folder, project, store } = await setUp();
  await store.add([note('user', 'Prefers short answers.'), note('decisions', 'Dates are kept in UTC.')]);
  await store.add([note('learnings', 'The tests need Docker.'), note('decisions', 'Amounts are cents.')]);
  const place = path.join(folder, 'projects', projectKey(project));
  expect(await readFile(path.join(folder, 'user.md'), 'utf8')).toBe(
    '# About the user, in every project\n\n- Prefers short answers. <!-- 2026-11-16, session 9d923fc9 -->\n',
  );
  expect(await readFile(path.join(place, 'decisions.md'), 'utf8')).toBe(
    [
      '# Decided in this project\n',
      '- Dates are kept in UTC. <!-- 2026-11-16, session 9d923fc9 -->',
      '- Amounts are cents. <!-- 2026-11-16, session 9d923fc9 -->\n',
    ].join('\n'),
  );
  expect(store.list().map(({ kind, text }) => [kind, text])).toEqual([
    ['user', 'Prefers short answers.'],
    ['decisions', 'Dates are kept in UTC.'],
    ['decisions', 'Amounts are cents.'],
    ['learnings', 'The tests need Docker.'],
  ]);
});

test('known facts are not noted again, even in other words; the opposite is another note', async () => {
  const { store } = await setUp();
  await store.add([note('learnings', 'Integration tests need Docker running.')]);
  const added = await store.add([
    note('context', 'integration tests need docker running'),
    note('learnings', 'The integration tests need a running Docker.'),
    note('learnings', 'Integration tests do not need Docker running, never.'),
    note('learnings', 'Unit tests run with vitest.'),
    note('learnings', 'Unit tests run with vitest!'),
  ]);
  expect(added.map(({ text }) => text)).toEqual([
    'Integration tests do not need Docker running, never.',
    'Unit tests run with vitest.',
  ]);
});

test('used notes are marked with the day and the count', async () => {
  const { store, open } = await setUp();
  await store.add([note('context', 'Builds with make.'), note('context', 'Deploys at night.')]);
  const told = store.list().slice(0, 1);
  await store.touch(told, '2026-12-01');
  await open().touch(told, '2026-12-24');
  expect(
    open()
      .list()
      .map(({ used, uses }) => [used, uses]),
  ).toEqual([
    ['2026-12-24', 2],
    [null, 0],
  ]);
});

test('after 90 days without use a note is removed; pinned and hand-written ones stay', async () => {
  const { store } = await setUp();
  await store.add([
    note('user', 'Old and unused.', '2026-01-01'),
    note('user', 'Old and pinned.', '2026-01-01'),
    note('learnings', 'Old but used lately.', '2026-01-01'),
    note('learnings', 'Eighty-nine days old.', '2026-08-19'),
    note('learnings', 'Ninety-one days old.', '2026-08-17'),
  ]);
  const find = (start: string) => store.list().find(({ text }) => text.startsWith(start)) as Note;
  await store.replace(find('Old and pinned'), (entry) => ({ ...entry, pinned: true }));
  await store.touch([find('Old but used')], '2026-11-01');
  const file = store.fileOf('user');
  await writeFile(file, `${await readFile(file, 'utf8')}- Written by hand.\n`);

  const gone = await store.prune(new Date('2026-11-16T12:00:00Z'));

  expect(gone.map(({ text }) => text)).toEqual(['Old and unused.', 'Ninety-one days old.']);
  expect(store.list().map(({ text }) => text)).toEqual([
    'Old and pinned.',
    'Written by hand.',
    'Old but used lately.',
    'Eighty-nine days old.',
  ]);
});

test('a note that no longer exists is not changed, nor anything else', async () => {
  const { store } = await setUp();
  await store.add([note('context', 'One thing.'), note('context', 'Two things here.')]);
  const [first] = store.list();
  if (!first) throw new Error('nothing was noted');
  expect(await store.edit(first, 'Another\nthing.')).toBe(true);
  expect(await store.replace(first, () => null)).toBe(false);
  expect(store.list().map(({ text }) => text)).toEqual(['Another thing.', 'Two things here.']);
});

test('concurrent changes lose nothing', async () => {
  const { open } = await setUp();
  const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
  await Promise.all(words.map((word) => open().add([note('learnings', `The word is ${word}.`)])));
  expect(
    open()
      .list()
      .map(({ text }) => text)
      .sort(),
  ).toEqual(words.map((word) => `The word is ${word}.`));
});
