import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answer } from '../../../test/support/histories.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { Message } from '../../contract/message.ts';
import { createGuard } from '../../sandbox/guard.ts';
import { createInstructionFiles } from './load-instructions.ts';
import { createProjectInstructions } from './project-instructions.ts';

type Options = {
  below?: string;
  messages?: Message[];
  atHome?: Record<string, string>;
  addDir?: string[];
  otherAssistants?: Config['otherAssistants'];
};

async function setUp(content: Record<string, string>, options: Options = {}) {
  const { below = '', messages = [], atHome = {}, addDir = [], otherAssistants = {} } = options;
  const { root, home } = await workspace(content);
  for (const [name, text] of Object.entries(atHome)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true });
    await writeFile(path.join(home, name), text);
  }
  const cwd = path.join(root, below);
  const dataRoot = path.join(home, '.ai-assistant');
  await mkdir(dataRoot);
  const guard = createGuard({
    cwd,
    additionalDirectories: addDir.map((name) => path.join(home, name)),
    closedDirectories: [dataRoot],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  const notices: string[] = [];
  const files = createInstructionFiles({
    config: { blockedPaths: [], allowedPaths: [], otherAssistants },
    cwd,
    dataRoot,
    env: { HOME: home },
    guard,
    notice: (text) => notices.push(text),
  });
  const project = createProjectInstructions(files, () => messages);
  const texts = async () => (await project.all()).map(({ text }) => text);
  return { root, home, dataRoot, files, project, notices, texts };
}

test('a repository cannot get secrets sent as instructions, neither by an import nor by a link', async () => {
  const { root, texts, notices } = await setUp(
    { '.git/HEAD': 'x', '.env': 'KEY=canary', 'AGENTS.md': 'See @.env here.', 'sub/a.ts': '' },
    { below: 'sub' },
  );
  await symlink(path.join(root, '.env'), path.join(root, 'sub/CLAUDE.md'));
  expect(await texts()).toEqual(['See @.env here.']);
  expect(notices).toEqual([
    expect.stringMatching(/^Skipped .*sub\/CLAUDE\.md: /),
    expect.stringMatching(/^Skipped \.env, imported by .*AGENTS\.md: /),
  ]);
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

test('instructions for other assistants are used, the most specific last; each once', async () => {
  const { root, texts, notices } = await setUp(
    {
      '.git/HEAD': 'x',
      'AGENTS.md': 'agents',
      'CLAUDE.md': '@AGENTS.md\n',
      'CLAUDE.local.md': 'local @docs/a.txt',
      '.claude/CLAUDE.md': 'hidden @../docs/a.txt',
      '.claude/rules/b.md': 'rule b',
      '.claude/rules/a/deep.md': 'rule a',
      '.claude/rules/notes.txt': 'never',
      '.cursor/rules/always.mdc': '---\nalwaysApply: true\n---\ncursor',
      '.cursor/rules/asked.mdc': '---\ndescription: For tests\nglobs:\n---\nnever',
      '.cursor/rules/manual.mdc': 'never',
      '.cursorrules': 'old cursor',
      '.github/copilot-instructions.md': 'copilot',
      '.github/instructions/all.instructions.md': "---\napplyTo: '**'\n---\ncopilot for all",
      'docs/a.txt': 'A',
      'app/AGENTS.override.md': 'override',
      'app/AGENTS.md': 'never',
      'app/CLAUDE.md': 'agents',
    },
    {
      below: 'app',
      atHome: {
        '.claude/CLAUDE.md': 'my claude @~/notes/x.md',
        '.claude/rules/mine.md': 'my rule',
        '.codex/AGENTS.md': 'my codex',
        '.gemini/GEMINI.md': 'my gemini',
        '.config/opencode/AGENTS.md': 'my opencode',
        'notes/x.md': 'noted',
      },
    },
  );
  await symlink('AGENTS.md', path.join(root, 'GEMINI.md'));
  expect(await texts()).toEqual([
    'my codex',
    'my gemini',
    'my opencode',
    'my claude noted',
    'my rule',
    'copilot',
    'old cursor',
    'agents',
    'hidden A',
    'local @docs/a.txt',
    'copilot for all',
    'cursor',
    'rule a',
    'rule b',
    'override',
    `Before work that one of these files is for, read it:\n- ${path.join(root, '.cursor/rules/asked.mdc')}: For tests`,
  ]);
  expect(notices).toEqual([]);
});

test('ignored assistants are ignored in the home folder; a project imports only what the user opened', async () => {
  const content = { 'CLAUDE.md': 'See @~/open/a.md, @~/closed.md, @~/.ssh/id_rsa and @logo.png.' };
  const { root, home, texts, notices } = await setUp(content, {
    atHome: {
      '.claude/CLAUDE.md': 'never',
      '.codex/AGENTS.md': 'mine @../closed.md @../.ssh/id_rsa',
      'open/a.md': 'A',
      'closed.md': 'C',
      '.ssh/id_rsa': 'canary',
    },
    addDir: ['open'],
    otherAssistants: { claude: 'ignore', codex: 'no-settings' },
  });
  await writeFile(path.join(root, 'logo.png'), Buffer.from([0x89, 0x50, 0, 0]));
  expect(await texts()).toEqual([
    'mine C @../.ssh/id_rsa',
    'See A, @~/closed.md, @~/.ssh/id_rsa and @logo.png.',
  ]);
  const claude = path.join(root, 'CLAUDE.md');
  expect(notices).toEqual([
    expect.stringMatching(/^Skipped \.\.\/\.ssh\/id_rsa, imported by .*\.codex\/AGENTS\.md: /),
    `Skipped ~/closed.md, imported by ${claude}: it is outside ${root}; start with --add-dir ${home} to use it.`,
    expect.stringMatching(/^Skipped ~\/\.ssh\/id_rsa, imported by .*CLAUDE\.md: /),
    `Skipped logo.png, imported by ${claude}: it is not a text file.`,
  ]);
});

test('rules with paths come with the first matching file, once in each conversation', async () => {
  const { files, project } = await setUp(
    {
      '.claude/rules/api.md': '---\npaths:\n  - "src/api/**/*.{ts,tsx}"\n  - lib/*.ts\n---\nAPI.',
      '.claude/rules/root.md': '---\npaths: "*.md"\n---\nRoot only.',
      '.cursor/rules/css.mdc': '---\nglobs: *.css,*.scss\n---\nCSS.',
      '.github/instructions/py.instructions.md': "---\napplyTo: '**/*.py'\n---\nPython.",
      'pkg/.claude/rules/go.md': '---\npaths: "**/*.go"\n---\nGo.',
      'src/api/AGENTS.md': 'Folder.',
    },
    { atHome: { '.claude/rules/rs.md': '---\npaths: "**/*.rs"\n---\nRust.' } },
  );
  expect((await project.all()).length).toBe(0);
  const note = (what: string, from: string, text: string) =>
    `\n\n[Instructions for work in ${what}, from ${from}]\n${text}`;
  const read = (target: string, kind: 'read' | 'write' = 'read') => project.notesFor([{ kind, target }]);
  const api = note('src/api/**/*.{ts,tsx}, lib/*.ts', path.join('.claude', 'rules', 'api.md'), 'API.');
  expect(await read('src/b.ts')).toEqual([]);
  expect(await read('src/api/v1/a.tsx', 'write')).toEqual([
    note(path.join('src', 'api'), path.join('src', 'api', 'AGENTS.md'), 'Folder.'),
    api,
  ]);
  expect(await read('lib/x.ts')).toEqual([]);
  expect(await read('docs/a.md')).toEqual([]);
  expect(await read('README.md')).toEqual([
    note('*.md', path.join('.claude', 'rules', 'root.md'), 'Root only.'),
  ]);
  expect((await read('web/deep/a.scss'))[0]).toContain('CSS.');
  expect((await read('a.py'))[0]).toContain('Python.');
  expect((await read('src/x.rs'))[0]).toContain('Rust.');
  expect(await read('x.go')).toEqual([]);
  expect((await read('pkg/cmd/x.go'))[0]).toContain('Go.');
  expect(await read('node_modules/a/x.py')).toEqual([]);

  const other = createProjectInstructions(files, () => [
    answer('1', 'Read', '', { content: [{ type: 'text', text: api }] }),
  ]);
  const again = await other.notesFor([
    { kind: 'read', target: 'src/api/a.ts' },
    { kind: 'read', target: 'a.py' },
  ]);
  expect(again.map((text) => text.split('\n').at(-1))).toEqual(['Folder.', 'Python.']);
});
