import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { pluginFiles } from './project-extensions.ts';
import { projectContent } from './trust.ts';

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
