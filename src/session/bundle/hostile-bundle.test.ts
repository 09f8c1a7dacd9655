import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS, type Machine, machine, sessionOn } from '../../../test/support/bundles.ts';
import { prompt, reply } from '../../../test/support/histories.ts';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, pictureOf, undoAll } from '../../../test/support/undo.ts';
import { UserError } from '../../contract/errors.ts';
import { sha256 } from '../../lib/sha256.ts';

/** A machine with a bundle of another one. */
async function withBundle() {
  const source = await machine({ 'a.ts': 'one\n' });
  const id = await sessionOn(source, [prompt('hi'), reply('Hello.')], async (store) => {
    await edit(store, path.join(source.root, 'a.ts'), 'two\n');
    begin(store);
    await command(store, source.root, 'echo 3 > new.txt');
  });
  const { file } = await source.pack(id);
  const target = await machine({ 'a.ts': 'two\n', 'new.txt': '3\n' });
  return { target, id, file, bytes: readFileSync(file) };
}

/** Resolves with the message of the refusal; nothing may have changed. */
async function refusal({ root, home, unpack }: Machine, file: string): Promise<string> {
  const before = [pictureOf(root), pictureOf(home)];
  const error: unknown = await unpack(file).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  expect([pictureOf(root), pictureOf(home)]).toEqual(before);
  return (error as Error).message;
}

describe('a damaged bundle is refused and changes nothing', () => {
  sweep([15, rounds(100, 400)])('property: cut off anywhere (%i runs)', async (numRuns) => {
    const { target, file, bytes } = await withBundle();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        await writeFile(file, bytes.subarray(0, length));
        expect(await refusal(target, file)).toMatch(
          /is not a valid session bundle: .*Nothing was imported\.$/,
        );
      }),
      { numRuns },
    );
  });

  sweep([15, rounds(100, 400)])('property: any text in it changed (%i runs)', async (numRuns) => {
    const { target, file, bytes } = await withBundle();
    const text = gunzipSync(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(text);
        changed[at] = (changed[at] ?? 0) ^ by;
        await writeFile(file, gzipSync(changed));
        await refusal(target, file);
      }),
      { numRuns },
    );
  });
});

type Line = Record<string, unknown>;

/** A bundle with correct checksums around whatever `change` makes of its lines. */
async function forged(change: (lines: Line[]) => Line[], end?: string) {
  const { target, file, bytes, id } = await withBundle();
  const lines = gunzipSync(bytes).toString().trim().split('\n').slice(0, -1);
  const text = change(lines.map((line) => JSON.parse(line) as Line))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  await writeFile(file, gzipSync(`${text}${JSON.stringify({ end: end ?? sha256(text) })}\n`));
  return { target, file, id };
}

/** The lines of a content, and a header that knows of it. */
function withContent(name: string, text: string) {
  return ([header = {}, ...rest]: Line[]): Line[] => {
    const bytes = Buffer.from(text);
    return [
      { ...header, contents: Number(header.contents) + 1, bytes: Number(header.bytes) + bytes.length },
      ...rest,
      { name, bytes: bytes.length, sha256: sha256(bytes) },
      ...(bytes.length > 0 ? [{ data: bytes.toString('base64') }] : []),
    ];
  };
}

const onHeader =
  (change: Line) =>
  ([header = {}, ...rest]: Line[]): Line[] => [{ ...header, ...change }, ...rest];

/** The undo log replaced. */
function withUndo(...records: Line[]) {
  return (lines: Line[]): Line[] => {
    const at = lines.findIndex(({ name }) => name === 'undo.jsonl');
    const { bytes: old = 0 } = lines[at] ?? {};
    const [header = {}, ...rest] = [...lines.slice(0, at), ...lines.slice(at + 2)];
    const less = {
      ...header,
      contents: Number(header.contents) - 1,
      bytes: Number(header.bytes) - Number(old),
    };
    return withContent(
      'undo.jsonl',
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    )([less, ...rest]);
  };
}

const FILE = { type: 'file', mode: 0o644, hash: sha256('x') };
const changed = (name: string) => ({ type: 'change', path: name, before: FILE, after: null });
const link = { ...FILE, type: 'link', mode: null };

describe('a hostile bundle is refused and changes nothing', () => {
  test.each<[string, (lines: Line[]) => Line[], RegExp]>([
    ['a name that leaves its folder', withContent('outputs/../../../evil', 'x'), /does not belong/],
    ['an absolute name', withContent('/etc/passwd', 'x'), /does not belong/],
    ['a name with a backslash', withContent('outputs\\..\\x', 'x'), /does not belong/],
    ['a hidden name', withContent('outputs/.bashrc', 'x'), /does not belong/],
    ['a file that is no part of a session', withContent('config.json', '{}'), /does not belong/],
    ['a link', (lines) => [...lines, { name: 'outputs/x', link: '/etc/passwd' }], /does not belong/],
    [
      'the same name twice',
      (lines) => withContent('outputs/c1.txt', 'x')(lines),
      /contains outputs\/c1\.txt twice/,
    ],
    ['an object under a wrong name', withContent(`objects/${'0'.repeat(64)}`, 'x'), /checksum/],
    [
      'more than it announces',
      (lines) => withContent('outputs/z', 'x')(lines).map((line, i) => (i === 0 ? (lines[0] ?? {}) : line)),
      /more than its header says/,
    ],
    ['less than it announces', onHeader({ contents: 400 }), /incomplete/],
    ['a huge count', onHeader({ contents: 10 ** 9 }), /more than 500000 contents/],
    [
      'a huge size',
      onHeader({ bytes: LIMITS.bytes + 1 }),
      /would take up 65 MB, more than the limit of 64 MB/,
    ],
    ['a negative size', onHeader({ bytes: -1 }), /header is invalid/],
    ['an unknown field', onHeader({ hooks: 'rm -rf /' }), /header is invalid/],
    ['a session id that is a path', onHeader({ session: '../../x' }), /header is invalid/],
    [
      'a newer version',
      onHeader({ version: 2, more: true }),
      /was written by a newer version of aca \(bundle version 2\)/,
    ],
    ['another format', onHeader({ format: 'tar' }), /does not start like one/],
    [
      'no session',
      (lines) => [
        onHeader({ contents: 1, bytes: 1 })(lines)[0] ?? {},
        ...withContent('outputs/z', 'x')([{}]).slice(1),
      ],
      /contains no session/,
    ],
    ['an undo of a file outside', withUndo(changed('../evil')), /undo log is invalid/],
    ['an undo of an absolute path', withUndo(changed('/etc/passwd')), /undo log is invalid/],
    ['an undo in .git', withUndo(changed('.git/hooks/pre-commit')), /undo log is invalid/],
    ['an undo in .GIT further down', withUndo(changed('sub/.GIT/config')), /undo log is invalid/],
    ['an undo with a drive', withUndo(changed('C:\\x')), /undo log is invalid/],
    [
      'an undo with a strange hash',
      withUndo({ ...changed('a'), before: { ...FILE, hash: '../x' } }),
      /undo log is invalid/,
    ],
    ['an unknown kind of undo', withUndo({ type: 'execute', command: 'x' }), /undo log is invalid/],
  ])('%s', async (_, change, message) => {
    const { target, file } = await forged(change);
    expect(await refusal(target, file)).toMatch(message);
  });

  test('a wrong checksum of the whole', async () => {
    const { target, file } = await forged((lines) => lines, '0'.repeat(64));
    expect(await refusal(target, file)).toMatch(/does not match its checksum/);
  });

  test('something after its end', async () => {
    const { target, file, bytes } = await withBundle();
    await writeFile(file, gzipSync(Buffer.concat([gunzipSync(bytes), Buffer.from('{}\n')])));
    expect(await refusal(target, file)).toMatch(/something follows its end/);
  });

  test('a bomb: a line without an end, and endless empty contents', async () => {
    const { target, file, bytes } = await withBundle();
    const [header = ''] = gunzipSync(bytes).toString().split('\n');
    await writeFile(file, gzipSync(`${header}\n${'0'.repeat(40_000_000)}`));
    expect(await refusal(target, file)).toMatch(/a line is too long/);
    const empty = Array.from({ length: 1000 }, (_, i) => ({
      name: `outputs/${i}`,
      bytes: 0,
      sha256: sha256(''),
    }));
    await writeFile(file, gzipSync([header, ...empty.map((line) => JSON.stringify(line))].join('\n')));
    expect(await refusal(target, file)).toMatch(/more than its header says/);
  });

  test('a session of a newer version', async () => {
    const source = await machine();
    const id = await sessionOn(source, [prompt('hi')]);
    const { journal } = source.placeOf(id);
    const text = readFileSync(journal, 'utf8');
    await writeFile(journal, text.replace('"version":1', '"version":9'));
    await expect(source.pack(id)).rejects.toThrow(/newer version of aca \(journal version 9\)/);
  });
});

test('an undo through a link that the same undo creates writes nothing outside', async () => {
  const outside = await machine({ 'victim.txt': 'mine\n' });
  const target = outside.root;
  const {
    target: here,
    file,
    id,
  } = await forged((lines) => {
    const contents = [target, 'evil'].map((text) => withContent(`objects/${sha256(text)}`, text));
    const log = withUndo(
      { type: 'run', at: '2026-01-01', prompt: 'x', message: 0 },
      ...[
        { path: 'sub', before: { ...link, hash: sha256(target) }, after: null },
        { path: 'sub/victim.txt', before: { ...FILE, hash: sha256('evil') }, after: null },
        { path: 'sub/more.txt', before: { ...FILE, hash: sha256('evil') }, after: null },
      ].map((one) => ({ type: 'change', ...one })),
    );
    return contents.reduce((all, add) => add(all), log(lines));
  });
  await here.unpack(file);
  const store = here.undo(id);
  const report = await undoAll(store);
  expect(report?.restored).toEqual([path.join(here.root, 'sub')]);
  expect(await outside.tree()).toEqual({ 'victim.txt': 'mine\n' });
});

test('files that are placed through a link of the same bundle are not written outside', async () => {
  const outside = await machine({ 'victim.txt': 'mine\n' });
  const made = await forged((lines) => {
    const contents = [outside.root, 'evil'].map((text) => withContent(`objects/${sha256(text)}`, text));
    const files = [
      { path: 'sub', state: { ...link, hash: sha256(outside.root) } },
      { path: 'sub/victim.txt', state: { ...FILE, hash: sha256('evil') } },
      { path: 'sub/more.txt', state: { ...FILE, hash: sha256('evil') } },
    ];
    return contents.reduce((all, add) => add(all), withUndo({ type: 'start', files })(lines));
  });
  const empty = await machine();
  const { files } = await empty.unpack(made.file);
  expect(files?.kept.map(({ path: file }) => path.basename(file)).sort()).toEqual(['more.txt', 'victim.txt']);
  expect(await outside.tree()).toEqual({ 'victim.txt': 'mine\n' });
});

test('an imported session counts as untrusted text, and brings no remotes that the user would trust', async () => {
  const source = await machine();
  const id = await sessionOn(source, [prompt('hi'), reply('Hello.')]);
  const page = { kind: 'foreign' as const, name: 'https://a.test', remotes: ['git@evil:x.git'] };
  await source.store.add(id, { type: 'source', source: page });
  const { file } = await source.pack(id);
  const target = await machine();
  await target.unpack(file);
  const { sources, messages = [] } = (await target.store.read(id)) ?? {};
  expect(sources).toEqual([
    { kind: 'foreign', name: 'https://a.test' },
    { kind: 'foreign', name: 'the imported session', imported: messages.length },
  ]);
});
