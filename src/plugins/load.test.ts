import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { loadPlugins } from './load.ts';

const plugin = (name: string) => `export default { name: '${name}', version: '1.0.0' };\n`;

test('[G01] plugins are loaded in order, whatever fails; each name is used once', async () => {
  const { root } = await workspace({
    'a.mjs': plugin('a'),
    'hangs.mjs': 'await new Promise((go) => setTimeout(go, 60_000).unref());\n',
    'folder/package.json': '{"main":"b.cjs"}',
    'folder/b.cjs': "exports.default = { name: 'b', version: '2' };\n",
    'twin.mjs': plugin('a'),
    'server.mjs': plugin('github'),
    'typed.ts': plugin('typed'),
    'tools.mjs':
      "const t = { name: 't', description: '', parameters: {}, execute: () => '' };\nexport default { name: 'tools', version: '1', tools: [t, t] };\n",
  });
  const names = ['a.mjs', 'hangs.mjs', 'folder', 'twin.mjs', 'server.mjs', 'typed.ts', 'tools.mjs'];
  const { plugins, troubles } = await loadPlugins(
    names.map((name) => path.join(root, name)),
    { taken: new Set(['github']), timeoutMs: 3_000, typescript: false },
  );
  expect(plugins.map(({ name, version, folder }) => ({ name, version, folder }))).toEqual([
    { name: 'a', version: '1.0.0', folder: null },
    { name: 'b', version: '2', folder: path.join(root, 'folder') },
  ]);
  expect(troubles.map(({ place, because }) => [path.basename(place), because])).toEqual([
    ['hangs.mjs', 'It did not load within 3s.'],
    ['twin.mjs', `Another plugin is named a: ${path.join(root, 'a.mjs')}.`],
    ['server.mjs', 'An MCP server is named github, too.'],
    [
      'typed.ts',
      `It is TypeScript, which Node ${process.version} does not run. Use Node 22.18 or later, or compile it to JavaScript.`,
    ],
    ['tools.mjs', 'It has two tools named t.'],
  ]);
});
