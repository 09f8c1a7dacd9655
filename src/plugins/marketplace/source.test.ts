import fc from 'fast-check';
import { expect, test } from 'vitest';
import { insidePath, marketplaceSource, pluginSource } from './source.ts';

const read = (written: string) => marketplaceSource(written, (one) => `/home/me/${one}`);

const good: [written: string, source: object][] = [
  ['./plugins', { type: 'folder', path: '/home/me/./plugins' }],
  ['~/plugins', { type: 'folder', path: '/home/me/~/plugins' }],
  ['./p/.claude-plugin/marketplace.json', { type: 'folder', path: '/home/me/./p' }],
  ['acme/tools', { type: 'git', url: 'https://github.com/acme/tools.git' }],
  ['acme/tools#v1.2', { type: 'git', url: 'https://github.com/acme/tools.git', ref: 'v1.2' }],
  ['https://example.org/a/b.git', { type: 'git', url: 'https://example.org/a/b.git' }],
  ['https://example.org/b.git#main', { type: 'git', url: 'https://example.org/b.git', ref: 'main' }],
  ['git@example.org:a/b.git', { type: 'git', url: 'git@example.org:a/b.git' }],
  ['ssh://git@example.org/a/b.git', { type: 'git', url: 'ssh://git@example.org/a/b.git' }],
  ['file:///srv/a.git', { type: 'git', url: 'file:///srv/a.git' }],
  ['http://127.0.0.1:8080/a.git', { type: 'git', url: 'http://127.0.0.1:8080/a.git' }],
];
test.each(good)('the marketplace %s', (written, source) => {
  expect(read(written)).toEqual(source);
});

const bad: [written: string, because: string][] = [
  ['', 'not a git address'],
  ['tools', 'neither a folder nor a git address'],
  ['--upload-pack=touch x', 'not a git address'],
  ['-oProxyCommand=x', 'not a git address'],
  ['ext::sh -c x', 'not a git address'],
  ['ext::touch', 'start with ext:'],
  ['fd::3', 'start with fd:'],
  ['ftp://example.org/a.git', 'start with ftp:'],
  ['http://example.org/a.git', 'not encrypted'],
  ['git://example.org/a.git', 'not encrypted'],
  ['https://me:secret@example.org/a.git', 'contains a password'],
  ['acme/tools#--all', 'not a branch or tag'],
  ['acme/tools#a..b', 'not a branch or tag'],
  ['https://example.org/a\u001b[2J', 'not a git address'],
];
test.each(bad)('%j is no marketplace: %s', (written, because) => {
  expect(() => read(written)).toThrow(because);
});

const sha = 'a'.repeat(40);
const sources: [written: unknown, source: unknown][] = [
  ['./plugins/a', { type: 'inside', path: 'plugins/a' }],
  ['./', { type: 'inside', path: '.' }],
  [
    { source: 'github', repo: 'acme/a', ref: 'v1', sha },
    { type: 'git', url: 'https://github.com/acme/a.git', ref: 'v1', sha },
  ],
  [
    { source: 'url', url: 'https://x.org/a.git' },
    { type: 'git', url: 'https://x.org/a.git' },
  ],
  [
    { source: 'git-subdir', url: 'acme/mono', path: 'tools/a' },
    { type: 'git', url: 'https://github.com/acme/mono.git', folder: 'tools/a' },
  ],
  ['../outside', expect.stringContaining('leads out')],
  ['./a/../../outside', expect.stringContaining('leads out')],
  ['/etc', expect.stringContaining('leads out')],
  ['C:\\x', expect.stringContaining('leads out')],
  ['..\\x', expect.stringContaining('leads out')],
  [{ source: 'git-subdir', url: 'acme/mono', path: '../x' }, expect.stringContaining('leads out')],
  [{ source: 'github', repo: 'acme/a/../..' }, expect.stringContaining('owner/name')],
  [{ source: 'github', repo: 'acme/a', sha: 'main' }, expect.stringContaining('not the id of a commit')],
  [{ source: 'url', url: 'ext::x' }, expect.stringContaining('ext:')],
  [{ source: 'npm', package: 'a' }, expect.stringContaining('npm cannot be installed')],
  [7, expect.stringContaining('neither')],
];
test.each(sources)('the plugin source %j', (written, source) => {
  expect(pluginSource(written)).toEqual(source);
});

test('pluginRoot is where bare names are', () => {
  expect(pluginSource('a', './plugins')).toEqual({ type: 'inside', path: 'plugins/a' });
  expect(pluginSource('../a', './plugins')).toEqual({ type: 'inside', path: 'a' });
  expect(pluginSource('../../a', './plugins')).toEqual(expect.stringContaining('leads out'));
});

test('no path gets out of its folder', () => {
  const piece = fc.constantFrom('..', '.', 'a', '/', '\\', '', 'C:', '%2e%2e', '...');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('/', '\\', ''), (pieces, sign) => {
      const found = insidePath(pieces.join(sign));
      if (typeof found === 'string') return;
      expect(found.path).not.toMatch(/(^|\/)\.\.(\/|$)|^\/|\\/);
    }),
  );
});
