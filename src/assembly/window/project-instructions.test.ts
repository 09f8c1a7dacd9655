import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answer } from '../../../test/support/histories.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { Message } from '../../contract/message.ts';
import { createGuard } from '../../sandbox/guard.ts';
import { createProjectInstructions } from './project-instructions.ts';

async function setUp(files: Record<string, string>, { below = '', messages = [] as Message[] } = {}) {
  const { root, home } = await workspace(files);
  const cwd = path.join(root, below);
  const dataRoot = path.join(home, '.ai-assistant');
  await mkdir(dataRoot);
  const guard = createGuard({
    cwd,
    additionalDirectories: [],
    closedDirectories: [dataRoot],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  const notices: string[] = [];
  const project = createProjectInstructions({
    config: { blockedPaths: [], allowedPaths: [] },
    cwd,
    dataRoot,
    guard,
    messages: () => messages,
    notice: (text) => notices.push(text),
  });
  const texts = async () => (await project.all()).map(({ text }) => text);
  return { root, dataRoot, project, notices, texts };
}

test('a repository cannot get secrets sent as instructions, neither by an import nor by a link', async () => {
  const { root, texts } = await setUp(
    { '.git/HEAD': 'x', '.env': 'KEY=canary', 'AGENTS.md': 'See @.env here.', 'sub/a.ts': '' },
    { below: 'sub' },
  );
  await symlink(path.join(root, '.env'), path.join(root, 'sub/CLAUDE.md'));
  expect(await texts()).toEqual(['See @.env here.']);
});

test("the user's own instructions are read from a protected folder, and import only Markdown from there", async () => {
  const { dataRoot, texts } = await setUp({});
  await writeFile(path.join(dataRoot, 'AGENTS.md'), 'Mine. @more.md @config.json');
  await writeFile(path.join(dataRoot, 'more.md'), 'More.');
  await writeFile(path.join(dataRoot, 'config.json'), '{"apiKey":"canary"}');
  expect(await texts()).toEqual(['Mine. More. @config.json']);
});

test('outside a repository nothing above the working directory is read', async () => {
  const { texts } = await setUp({ 'AGENTS.md': 'above', 'sub/AGENTS.md': 'here' }, { below: 'sub' });
  expect(await texts()).toEqual(['here']);
});

test('anything but a regular file, or a file that is far too large, is not read', async () => {
  const { root, texts, notices } = await setUp({ 'CLAUDE.md': 'x'.repeat(1_100_000) });
  await mkdir(path.join(root, 'AGENTS.md'));
  expect(await texts()).toEqual([]);
  expect(notices).toEqual([`Skipped ${path.join(root, 'CLAUDE.md')}: it is too large for instructions.`]);
});

test("a folder's instructions are given once, outermost first, whoever visits; never those already in the conversation", async () => {
  const files = {
    'a/AGENTS.md': 'A.',
    'a/b/AGENTS.md': 'B.',
    'a/b/x.ts': '',
    'c/AGENTS.md': 'C.',
    'vendor/AGENTS.md': 'V.',
  };
  const known = answer('1', 'Read', '', {
    content: [{ type: 'text', text: '\n\n[Instructions for work in c, from c/AGENTS.md]\nC.' }],
  });
  const { project } = await setUp(files, { messages: [known] });
  const read = (target: string) => project.notesFor([{ kind: 'read', target }]);
  const [first, second] = await Promise.all([read('a/b/x.ts'), read('a/b/x.ts')]);
  expect(first).toEqual([
    '\n\n[Instructions for work in a, from a/AGENTS.md]\nA.',
    `\n\n[Instructions for work in ${path.join('a', 'b')}, from ${path.join('a', 'b', 'AGENTS.md')}]\nB.`,
  ]);
  expect(second).toEqual([]);
  expect(await read('c/x.ts')).toEqual([]);
  expect(await read('vendor/x.ts')).toEqual([]);
  expect(await read('../elsewhere/x.ts')).toEqual([]);
  expect(await project.notesFor([{ kind: 'execute', target: 'cat a/b/x.ts' }])).toEqual([]);
});
