import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { makePipe } from '../support/tool-context.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const tree = {
  '.gitignore': 'dist\n*.log\n',
  '.env': 'TOKEN=needle\n',
  '.config/tool.yml': 'needle\n',
  'config/secrets.json': '"needle"\n',
  'dist/bundle.js': 'needle\n',
  'run.log': 'needle\n',
  'docs/guide.md': 'Look for the needle.\n',
  'src/haystack.ts': 'export function findNeedle() {\n  return "needle";\n}\n',
};

/** What the model is told of each call, in their order; nobody is asked, nothing is granted. */
async function told(space: Workspace, ...words: CallWords[]): Promise<string[]> {
  const server = await serve([calls(...words), says('ok')]);
  const { model, env } = doors.anthropic(server.url);
  const { code, stderr } = await aca(space, ['-p', 'look', '--model', model], { env });
  expect({ code, stderr, refusals: server.refusals }).toEqual({ code: 0, stderr: '', refusals: [] });
  return server.requests[1]?.messages.at(-1)?.results.map(({ text }) => text) ?? [];
}

describe('[T13] [T04] looking things up needs no question', () => {
  test('ignored, hidden and secret files stay out; the first two come on request', async () => {
    const space = await workspace(tree);
    expect(
      await told(
        space,
        ['Glob', { pattern: '**/*' }],
        ['Glob', { pattern: '**/*', include_ignored: true }],
        ['Grep', { pattern: 'needle', mode: 'files' }],
        ['Grep', { pattern: 'needle', include_ignored: true }],
        ['List', { depth: 2 }],
      ),
    ).toEqual([
      'src/haystack.ts\ndocs/guide.md',
      'src/haystack.ts\ndocs/guide.md\nrun.log\ndist/bundle.js\n.config/tool.yml\n.gitignore',
      'src/haystack.ts\ndocs/guide.md',
      'src/haystack.ts:2:  return "needle";\ndocs/guide.md:1:Look for the needle.\nrun.log:1:needle\n' +
        'dist/bundle.js:1:needle\n.config/tool.yml:1:needle',
      'docs/  1 file\n  guide.md  21 bytes\nsrc/  1 file\n  haystack.ts  52 bytes\n' +
        '[6 hidden, ignored or linked entries skipped; set include_ignored to show them]',
    ]);
  });

  test('[Y16] a ranked search tells places and reasons', async () => {
    const space = await workspace(tree);
    expect(await told(space, ['Search', { query: 'needle' }], ['Search', { query: 'find_needle' }])).toEqual([
      'src/haystack.ts:2: return "needle";  [word]\ndocs/guide.md:1: Look for the needle.  [word]\n' +
        'src/haystack.ts:1: export function findNeedle() {  [part of a name]',
      'src/haystack.ts:1: export function findNeedle() {  [definition, other spelling: function]',
    ]);
  });

  test('loops of links, links out, pipes, binary files and endless lines do not stop it', soak, async () => {
    const space = await workspace({ 'a/b.txt': 'needle\n', 'long.txt': `needle${'x'.repeat(3_000_000)}` });
    await symlink('..', path.join(space.root, 'a', 'up'));
    await symlink('self', path.join(space.root, 'self'));
    await symlink('/etc', path.join(space.root, 'etc'));
    await writeFile(path.join(space.root, 'blob.bin'), Buffer.from([0, 1, 2, 0x6e, 0x65, 0x65, 0]));
    makePipe(path.join(space.root, 'pipe'));
    const [globbed, grepped, waited] = await told(
      space,
      ['Glob', { pattern: '**/*.txt' }],
      ['Grep', { pattern: '^needle' }],
      ['Grep', { pattern: 'x', path: 'pipe' }],
    );
    expect(globbed).toBe('long.txt\na/b.txt');
    expect(grepped).toMatch(/^long\.txt:1:needlex{400,} \[\.\.\. .*\]\na\/b\.txt:1:needle$/);
    expect(waited).toBe('pipe is a pipe, socket or device. Pass a file or a folder, or omit path.');
  });

  test('a worktree, whose `.git` is a file, is searched', async () => {
    const space = await workspace({ 'a.txt': 'needle\n', '.git': 'gitdir: /nowhere/worktrees/tree\n' });
    const results = await told(space, ['Glob', { pattern: '**/*' }], ['Grep', { pattern: 'needle' }]);
    expect(results).toEqual(['a.txt', 'a.txt:1:needle']);
  });

  test('a folder that cannot be read is passed over', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root reads every folder');
    const space = await workspace({ 'a.txt': 'needle\n', 'shut/b.txt': 'needle\n' });
    await chmod(path.join(space.root, 'shut'), 0);
    const results = await told(
      space,
      ['Glob', { pattern: '**/*.txt' }],
      ['Grep', { pattern: 'needle' }],
      ['Grep', { pattern: 'nothing there' }],
      ['List', {}],
    );
    await chmod(path.join(space.root, 'shut'), 0o700);
    expect(results).toEqual([
      'a.txt',
      'a.txt:1:needle',
      'Nothing matches nothing there.',
      'shut/  cannot be read\na.txt  7 bytes',
    ]);
  });

  test('[Y39] large results are capped, whole, and count what they leave out', soak, async () => {
    const space = await workspace();
    await mkdir(path.join(space.root, 'many'));
    await Promise.all(
      Array.from({ length: 700 }, (_, i) =>
        writeFile(path.join(space.root, 'many', `file-${i}.txt`), 'needle\n'.repeat(3)),
      ),
    );
    const results = await told(
      space,
      ['Glob', { pattern: '*.txt' }],
      ['Grep', { pattern: 'needle' }],
      ['List', { depth: 2 }],
      ['Search', { query: 'needle' }],
    );
    expect(results.map((text) => text.split('\n').at(-1))).toEqual([
      '[500 more files; narrow the pattern to see more]',
      '[2100 lines match in 700 files; not all files are listed: narrow the search with path, glob or type, or list all with offset 1]',
      '[319 more entries; list a subfolder, or less depth, to see more]',
      '[2060 more places; Grep lists them all]',
    ]);
    expect(results.every((text) => text.length <= 10_000 && !text.includes('[truncated]'))).toBe(true);
  });

  test('a pattern or a kind that ripgrep does not know is explained to the model', async () => {
    const space = await workspace(tree);
    const [pattern, kind] = await told(
      space,
      ['Grep', { pattern: 'needle(' }],
      ['Grep', { pattern: 'needle', type: 'klingon' }],
    );
    expect(pattern).toContain('unclosed group');
    expect(kind).toContain('unrecognized file type: klingon');
  });
});
