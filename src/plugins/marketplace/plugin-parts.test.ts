import { expect, test } from 'vitest';
import { parseMarketplace, parsePluginId } from './marketplace-file.ts';
import { readParts } from './plugin-parts.ts';

const root = '/data/plugins/tools';

function parts(files: Record<string, unknown>, { entry = {}, isModule = false } = {}) {
  const list = Object.entries(files).map(([name, content]) => ({
    name,
    content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
  }));
  return readParts({ name: 'tools', root, files: list, entry, isModule });
}
const manifest = (more: object = {}) => ({
  '.claude-plugin/plugin.json': { name: 'tools', version: '1.0.0', ...more },
});
const paths = (list: readonly { path: string }[]) => list.map(({ path }) => path);
const hook = { Stop: [{ hooks: [{ type: 'command', command: '$' + '{CLAUDE_PLUGIN_ROOT}/stop.sh' }] }] };
const filled = { Stop: [{ hooks: [{ type: 'command', command: `${root}/stop.sh` }] }] };

test('parts in the usual places are found, and their variables replaced', () => {
  const found = parts({
    ...manifest({ description: 'Tools' }),
    'commands/fix.md': 'Run $' + '{CLAUDE_PLUGIN_ROOT}/fix.sh',
    'commands/git/sync.md': 'Sync',
    'agents/critic.md': 'Criticize',
    'skills/style/SKILL.md': 'Style',
    'skills/style/more/SKILL.md': 'not a skill of its own',
    'hooks/hooks.json': { description: 'x', hooks: hook },
    '.mcp.json': { mcpServers: { db: { command: '$' + '{CLAUDE_PLUGIN_ROOT}/db' } } },
    'README.md': 'not a command',
  });
  expect(found).toMatchObject({
    version: '1.0.0',
    description: 'Tools',
    hooks: [filled],
    servers: [{ db: { command: `${root}/db` } }],
    isModule: false,
    unused: [],
    troubles: [],
  });
  expect(found.commands).toEqual([
    { path: 'fix.md', file: `${root}/commands/fix.md`, text: `Run ${root}/fix.sh` },
    { path: 'git/sync.md', file: `${root}/commands/git/sync.md`, text: 'Sync' },
  ]);
  expect([paths(found.agents), paths(found.skills)]).toEqual([['critic.md'], ['style']]);
});

test('a manifest names further parts: as a path, a list, a table', () => {
  const files = {
    'commands/usual.md': 'a',
    'extra/one.md': 'b',
    'extra/deep/two.md': 'c',
    'more/three.md': 'd',
    'team/lead.md': 'e',
    'know/how/SKILL.md': 'f',
    'config/hooks.json': { hooks: hook },
    'config/servers.json': { db: { command: 'db' } },
  };
  const found = parts({
    ...files,
    ...manifest({
      commands: [
        './extra/',
        './more/three.md',
        { quick: { content: 'Quick' }, slow: { source: './extra/one.md' } },
      ],
      agents: './team/lead.md',
      skills: ['./know', './know/how'],
      hooks: ['./config/hooks.json', hook],
      mcpServers: './config/servers.json',
    }),
  });
  expect(paths(found.commands)).toEqual([
    'usual.md',
    'one.md',
    'deep/two.md',
    'three.md',
    'quick.md',
    'slow.md',
  ]);
  expect(paths(found.agents)).toEqual(['lead.md']);
  expect(paths(found.skills)).toEqual(['how']);
  expect(found.hooks).toEqual([filled, filled]);
  expect(found.servers).toEqual([{ db: { command: 'db' } }]);
  expect(found.troubles).toEqual([]);
});

test('a marketplace can describe a plugin without a manifest', () => {
  const found = parts(
    { 'xlsx/SKILL.md': 'a', 'docx/SKILL.md': 'b' },
    { entry: { skills: ['./xlsx'] }, isModule: true },
  );
  expect(found).toMatchObject({ isModule: false, troubles: [] });
  expect(paths(found.skills)).toEqual(['xlsx']);
});

test('a folder with a module and nothing else is a JavaScript plugin; with a manifest its code is not loaded', () => {
  const files = { 'package.json': { version: '2.0.0' }, 'index.js': '' };
  expect(parts(files, { isModule: true })).toMatchObject({ isModule: true, version: '2.0.0' });
  expect(parts({ ...files, ...manifest() }, { isModule: true }).isModule).toBe(false);
});

const troubles: [files: Record<string, unknown>, trouble: string][] = [
  [manifest({ commands: '../../etc' }), 'leads out of it'],
  [manifest({ agents: '/etc/passwd' }), 'leads out of it'],
  [manifest({ skills: './none' }), 'no skills in none'],
  [manifest({ hooks: './none.json' }), 'There is no none.json.'],
  [manifest({ commands: 7 }), 'not a path'],
  [manifest({ name: 'other' }), 'calls itself other'],
  [{ '.claude-plugin/plugin.json': '{' }, 'plugin.json is not valid JSON'],
  [{ ...manifest(), '.mcp.json': '[]' }, '.mcp.json is not valid JSON'],
  [{ ...manifest(), 'commands/long.md': 'x'.repeat(300_000) }, 'larger than 256 kB'],
];
test.each(troubles)('%# what is wrong is named, and the rest used', (files, trouble) => {
  expect(parts(files).troubles.join('\n')).toContain(trouble);
});

test('output styles are Markdown files in their folder, or where the manifest says', () => {
  const files = { ...manifest({ outputStyles: './more/b.md' }), 'output-styles/a.md': 'x', 'more/b.md': 'y' };
  expect(parts(files).outputStyles.map(({ path, text }) => [path, text])).toEqual([
    ['a.md', 'x'],
    ['b.md', 'y'],
  ]);
  expect(parts(files).unused).toEqual([]);
});

test('what has no effect here is named', () => {
  const files = { ...manifest({ lspServers: {}, author: 'me', userConfig: {} }), 'themes/a.json': 'x' };
  expect(parts(files).unused).toEqual(['lspServers', 'userConfig', 'themes/']);
});

test.each([
  ['{"name":"acme","plugins":{}}', 'not a list of plugins'],
  ['nonsense', 'not a list of plugins'],
  ['{"name":"../acme","plugins":[]}', 'cannot be the name'],
  ['{"name":"a\\u001b[2J","plugins":[]}', 'cannot be the name'],
])('the marketplace %j is refused', (text, because) => {
  expect(() => parseMarketplace(text, 'm.json')).toThrow(because);
});

test('entries with hostile or repeated names are skipped and named', () => {
  const listed = ['good', '../evil', 'Evil', 'a/b', 'a@b', '__proto__', '', 'good'].map((name) => ({
    name,
    source: './x',
  }));
  const read = parseMarketplace(JSON.stringify({ name: 'acme', plugins: [...listed, 7] }), 'm.json');
  expect(read.plugins.map(({ name }) => name)).toEqual(['good']);
  expect(read.troubles).toHaveLength(8);
});

test.each(['', '@', 'a@', '@b', '../a@b', 'a@b@c', 'a b'])('%j is not the id of a plugin', (id) => {
  expect(() => parsePluginId(id)).toThrow('is not a plugin');
});
