import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { extensionFiles, extensionsOf, isExtension, pluginFiles } from './project-extensions.ts';
import { projectContent } from './trust.ts';

test('files are found only from the project root down to the working directory', async () => {
  const { root, home } = await workspace({
    '.git/HEAD': '',
    '.ai-assistant/commands/a.md': 'A',
    '.ai-assistant/commands/sub/b.md': 'B',
    '.ai-assistant/commands/notes.txt': '',
    '.ai-assistant/skills/s/SKILL.md': 'S',
    '.ai-assistant/skills/s/other.md': '',
    '.ai-assistant/skills/SKILL.md': '',
    '.ai-assistant/agents/x.md': 'X',
    '.claude/commands/c.md': 'C',
    'app/.claude/skills/t/SKILL.md': 'T',
    'other/.claude/commands/no.md': '',
    'app/src/.ai-assistant/commands/deep.md': 'D',
  });
  await writeFile(path.join(home, 'secret.md'), 'secret');
  await symlink(path.join(home, 'secret.md'), path.join(root, '.claude/commands/link.md'));
  const cwd = path.join(root, 'app/src');
  const found = extensionFiles({ root, cwd });
  expect(found.map(({ name, text }) => [name, text])).toEqual([
    ['.ai-assistant/commands/a.md', 'A'],
    ['.ai-assistant/commands/sub/b.md', 'B'],
    ['.ai-assistant/skills/s/SKILL.md', 'S'],
    ['.ai-assistant/agents/x.md', 'X'],
    ['.claude/commands/c.md', 'C'],
    ['app/.claude/skills/t/SKILL.md', 'T'],
    ['app/src/.ai-assistant/commands/deep.md', 'D'],
  ]);
  expect(extensionsOf(found, 'command').map((one) => one.path)).toEqual([
    'a.md',
    'sub/b.md',
    'c.md',
    'deep.md',
  ]);
  expect(extensionsOf(found, 'skill').map((one) => one.path)).toEqual(['s/SKILL.md', 't/SKILL.md']);
  expect(found.every(isExtension)).toBe(true);
  expect(projectContent(cwd)).toEqual(found);
});

test('a data root inside the folder is not part of the project', async () => {
  const { root } = await workspace({ '.ai-assistant/commands/a.md': 'A' });
  expect(extensionFiles({ root, cwd: root, dataRoot: path.join(root, '.ai-assistant') })).toEqual([]);
});

test('trust in a plugin covers all code that it imports by path; long files are represented by a hash', async () => {
  const { root } = await workspace({
    '.ai-assistant.json': '{ "plugins": ["./p", "pack"] }',
    'p/package.json': '{"main":"main.mjs"}',
    'p/main.mjs': "import './a.mjs';\nexport * from '../shared/b.js';\nconst c = await import('./c.mjs');\n",
    'p/a.mjs': "import '../p/main.mjs';\n",
    'p/c.mjs': `// ${'x'.repeat(40_000)}\n`,
    'p/unused.mjs': '',
    'p/skills/s/SKILL.md': 'S',
    'shared/b.js': "require('./d')\n",
    'shared/d.js': '',
    'node_modules/pack/index.js': 'pack',
  });
  const [settings] = projectContent(root);
  const found = pluginFiles(settings, root);
  expect(found.map(({ name }) => name)).toEqual([
    'node_modules/pack/index.js',
    'p/a.mjs',
    'p/c.mjs',
    'p/main.mjs',
    'p/skills/s/SKILL.md',
    'shared/b.js',
    'shared/d.js',
  ]);
  expect(found.find(({ name }) => name === 'p/c.mjs')?.text).toMatch(
    /^40004 characters, SHA-256 [0-9a-f]{64}\n$/,
  );
  expect(pluginFiles({ name: '', file: path.join(root, 'x.json'), text: '{ broken' }, root)).toEqual([]);
});
