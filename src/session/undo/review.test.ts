import { chmodSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { begin, command, edit, pictureOf, storeFor, undo } from '../../../test/support/undo.ts';
import type { ChangedFile } from '../../contract/review.ts';

const BASE = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');

function facts(files: readonly ChangedFile[]) {
  return files.map(({ path: file, change, hunks, notes }) => ({
    file: path.basename(file),
    change,
    hunks: hunks.map(({ what, added, removed }) => `${what} +${added} -${removed}`),
    notes,
  }));
}

describe('one file', () => {
  test('its hunks are listed with their lines, and reverted one by one', async () => {
    const { at, store, open } = await storeFor({ a: BASE });
    begin(store);
    await edit(
      store,
      at('a'),
      BASE.replace('line 3\n', 'three\n').replace('line 12\n', '').replace('line 18\n', '18\n18b\n'),
    );
    const review = await store.review();
    expect(facts(review.files)).toEqual([
      {
        file: 'a',
        change: 'changed',
        hunks: ['line 3 +1 -1', 'after line 11 +0 -1', 'lines 17-18 +2 -1'],
        notes: [],
      },
    ]);
    expect(review.files[0]?.hunks[0]?.patch).toBe(
      '@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+three\n line 4\n line 5\n line 6\n',
    );

    await review.revert([{ path: at('a'), hunk: 1 }]);
    expect(readFileSync(at('a'), 'utf8')).toBe(
      BASE.replace('line 3\n', 'three\n').replace('line 18\n', '18\n18b\n'),
    );
    expect(facts((await open().review()).files)[0]?.hunks).toEqual(['line 3 +1 -1', 'lines 18-19 +2 -1']);
    await (await store.review()).revert([{ path: at('a') }]);
    expect(readFileSync(at('a'), 'utf8')).toBe(BASE);
    expect((await store.review()).files).toEqual([]);
  });

  test.each([
    ['line endings', 'a\r\nb\r\nc\r\n', 'a\r\nB\nc\r\n'],
    ['a missing final newline', 'a\nb', 'a\nb\nc'],
    ['a final newline', 'a\nb\n', 'a\nb'],
    ['a byte order mark', '\uFEFFa\nb\n', 'A\nb\n'],
    ['an empty file', '', 'x\n'],
    ['an emptied file', 'x\ny\n', ''],
  ])('%s', async (_, before, after) => {
    const { at, store } = await storeFor({ a: before });
    begin(store);
    await edit(store, at('a'), after);
    await (await store.review()).revert([{ path: at('a') }]);
    expect(readFileSync(at('a'))).toEqual(Buffer.from(before));
  });

  test('bytes of any encoding come back, and so does the mode', async () => {
    const { root, at, store } = await storeFor();
    const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62, 0x0a]);
    writeFileSync(at('a'), latin);
    chmodSync(at('a'), 0o640);
    begin(store);
    await command(store, root, "printf 'th\\351\\nb\\n' > a; chmod 755 a");
    const review = await store.review();
    expect(facts(review.files)[0]?.hunks).toEqual(['line 1 +1 -1', 'mode 640 → 755 +0 -0']);
    await review.revert([{ path: at('a'), hunk: 0 }]);
    expect([readFileSync(at('a')), lstatSync(at('a')).mode & 0o777]).toEqual([latin, 0o755]);
    await (await store.review()).revert([{ path: at('a') }]);
    expect(lstatSync(at('a')).mode & 0o777).toBe(0o640);
  });
});

describe("the user's own edits", () => {
  test('are not listed, and survive', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), BASE.replace('line 3\n', 'three\n'));
    writeFileSync(at('a'), `mine\n${BASE.replace('line 3\n', 'three\n').replace('line 15\n', 'fifteen\n')}`);
    const review = await store.review();
    expect(facts(review.files)).toEqual([
      { file: 'a', change: 'changed', hunks: ['line 4 +1 -1'], notes: [] },
    ]);
    await review.revert([{ path: at('a'), hunk: 0 }]);
    expect(readFileSync(at('a'), 'utf8')).toBe(`mine\n${BASE.replace('line 15\n', 'fifteen\n')}`);
  });

  test('in the same lines keep a hunk from being reverted; others still can be', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), BASE.replace('line 3\n', 'three\n').replace('line 15\n', 'fifteen\n'));
    writeFileSync(at('a'), BASE.replace('line 3\n', 'my three\n').replace('line 15\n', 'fifteen\n'));
    const review = await store.review();
    expect(facts(review.files)).toEqual([
      {
        file: 'a',
        change: 'changed',
        hunks: ['line 15 +1 -1'],
        notes: ['One change overlaps your own later edits and cannot be reverted.'],
      },
    ]);
    await review.revert([{ path: at('a') }]);
    expect(readFileSync(at('a'), 'utf8')).toBe(BASE.replace('line 3\n', 'my three\n'));
  });

  test('between two runs belong to neither', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), BASE.replace('line 3\n', 'three\n'));
    const mine = BASE.replace('line 3\n', 'three\n').replace('line 9\n', 'nine\n');
    writeFileSync(at('a'), mine);
    begin(store);
    await edit(store, at('a'), mine.replace('line 15\n', 'fifteen\n'));
    expect(facts((await store.review()).files)[0]?.hunks).toEqual(['line 3 +1 -1', 'line 15 +1 -1']);
    expect(facts((await store.review(1)).files)[0]?.hunks).toEqual(['line 15 +1 -1']);
    await (await store.review()).revert([{ path: at('a') }]);
    expect(readFileSync(at('a'), 'utf8')).toBe(BASE.replace('line 9\n', 'nine\n'));
  });

  test('made while the list was open leave the file alone', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), BASE.replace('line 3\n', 'three\n'));
    const review = await store.review();
    writeFileSync(at('a'), 'mine');
    expect(await review.revert([{ path: at('a'), hunk: 0 }])).toEqual({
      restored: [],
      removed: [],
      kept: [{ path: at('a'), because: 'it was just changed' }],
    });
    expect(readFileSync(at('a'), 'utf8')).toBe('mine');
  });
});

describe('whole files', () => {
  test('new, deleted, renamed, binary and replaced ones come back as a whole', async () => {
    const { root, at, store } = await storeFor({
      gone: 'gone\n',
      old: 'moved\n',
      bin: 'a\0b',
      'dir/x': 'x\n',
    });
    chmodSync(at('gone'), 0o600);
    const before = pictureOf(root);
    begin(store);
    await command(
      store,
      root,
      "mkdir -p made/deep && printf 'new\\n' > made/deep/new; rm gone; mv old renamed; printf 'a\\0c' > bin; rm -r dir; echo f > dir",
    );
    const review = await store.review();
    expect(facts(review.files)).toEqual([
      { file: 'bin', change: 'changed', hunks: ['binary content +0 -0'], notes: [] },
      { file: 'dir', change: 'changed', hunks: ['folder → file +0 -0'], notes: [] },
      { file: 'x', change: 'deleted', hunks: ['deleted file +0 -1'], notes: [] },
      { file: 'gone', change: 'deleted', hunks: ['deleted file +0 -1'], notes: [] },
      { file: 'new', change: 'new', hunks: ['new file +1 -0'], notes: [] },
      { file: 'old', change: 'deleted', hunks: ['deleted file +0 -1'], notes: [] },
      { file: 'renamed', change: 'new', hunks: ['new file +1 -0'], notes: [] },
    ]);
    const report = await review.revert(review.files.map(({ path: file }) => ({ path: file })));
    expect(report.kept).toEqual([]);
    expect(pictureOf(root)).toEqual(before);
  });

  test('a new file that the user went on with is left alone', async () => {
    const { at, store } = await storeFor();
    begin(store);
    await edit(store, at('new'), 'new\n');
    writeFileSync(at('new'), 'new\nmine\n');
    const review = await store.review();
    expect(facts(review.files)).toEqual([
      { file: 'new', change: 'new', hunks: [], notes: ['Left alone: it was changed later.'] },
    ]);
    expect(await review.revert([{ path: at('new') }])).toEqual({ restored: [], removed: [], kept: [] });
  });

  test('what was undone, or deleted by the user, is not listed', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), 'x');
    begin(store);
    await edit(store, at('b'), 'y');
    await undo(store);
    expect(facts((await store.review()).files).map(({ file }) => file)).toEqual(['a']);
    rmSync(at('a'));
    expect(facts((await store.review()).files)[0]?.notes).toEqual(['Left alone: it was changed later.']);
  });
});

test('a revert is undone on its own, also by another process, and can be redone', async () => {
  const { at, store, open } = await storeFor({ a: BASE });
  begin(store);
  const changed = BASE.replace('line 3\n', 'three\n').replace('line 15\n', 'fifteen\n');
  await edit(store, at('a'), changed);
  await (await store.review()).revert([{ path: at('a'), hunk: 0 }]);
  await undo(open());
  expect(readFileSync(at('a'), 'utf8')).toBe(changed);
  expect(facts((await store.review()).files)[0]?.hunks).toHaveLength(2);
  await undo(store);
  expect(readFileSync(at('a'), 'utf8')).toBe(BASE);
});

describe('accepted changes', () => {
  test('are no longer listed, also for another process; the file and its undo stay as they are', async () => {
    const { at, store, open } = await storeFor({ a: BASE });
    begin(store);
    const changed = BASE.replace('line 3\n', 'three\n').replace('line 15\n', 'fifteen\n');
    await edit(store, at('a'), changed);
    const [, second] = (await store.review()).files[0]?.hunks ?? [];
    await (await store.review()).accept([{ path: at('a'), hunk: 0 }]);

    const review = await open().review();
    expect(review.files[0]?.hunks).toMatchObject([{ id: second?.id, lines: second?.lines }]);
    expect(review.original(at('a'))).toBe(BASE.replace('line 3\n', 'three\n'));
    expect(readFileSync(at('a'), 'utf8')).toBe(changed);

    begin(store);
    await edit(store, at('a'), changed.replace('line 8\n', 'eight\n'));
    expect(facts((await store.review()).files)[0]?.hunks).toEqual(['line 8 +1 -1', 'line 15 +1 -1']);
    await undo(store);
    await undo(store);
    expect(readFileSync(at('a'), 'utf8')).toBe(BASE);
    expect((await store.review()).files).toEqual([]);
  });

  test('of files take their folders along, whatever was made or deleted', async () => {
    const { root, store } = await storeFor({ 'dir/x': 'x\n', gone: 'bye\n', mode: 'm\n' });
    begin(store);
    await command(
      store,
      root,
      'mkdir -p made/deep && echo n > made/deep/new; rm -r dir gone; chmod 600 mode',
    );
    const after = pictureOf(root);
    const review = await store.review();
    await review.accept(review.files.map(({ path: file }) => ({ path: file })));
    expect((await store.review()).files).toEqual([]);
    expect(pictureOf(root)).toEqual(after);
  });

  test('with later edits of the user on top are settled as well', async () => {
    const { at, store } = await storeFor({ a: BASE });
    begin(store);
    await edit(store, at('a'), BASE.replace('line 3\n', 'three\n'));
    writeFileSync(at('a'), BASE.replace('line 3\n', 'my own three\n'));
    expect(facts((await store.review()).files)[0]?.notes).toEqual([
      'One change overlaps your own later edits and cannot be reverted.',
    ]);
    await (await store.review()).accept([{ path: at('a') }]);
    expect((await store.review()).files).toEqual([]);
  });
});

test('a hunk keeps its id while the file changes elsewhere; equal hunks differ in theirs', async () => {
  const { at, store } = await storeFor({ a: BASE + BASE });
  begin(store);
  await edit(store, at('a'), (BASE + BASE).replaceAll('line 9\n', 'nine\n'));
  const ids = async () => (await store.review()).files[0]?.hunks.map(({ id }) => id);
  const before = await ids();
  writeFileSync(at('a'), `mine\n${(BASE + BASE).replaceAll('line 9\n', 'nine\n')}`);
  expect(await ids()).toEqual(before);
  expect(new Set(before).size).toBe(2);
});
