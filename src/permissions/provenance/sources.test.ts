import { beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import { loadGrammar } from '../shell/grammar.ts';
import { pathSources, pathsInCommand, type SourcePlace } from './paths.ts';
import { changesScripts, textAfter } from './scripts.ts';
import { sourcesOf } from './sources.ts';

beforeAll(() => loadGrammar());

const runs = (target: string): Access => ({ kind: 'execute', target });

describe('sources', () => {
  const home: SourcePlace = {
    cwd: '/home/u/p',
    home: '/home/u',
    temporary: ['/tmp'],
    opened: (file) => (file.startsWith('/home/u/p/') || file === '/home/u/p' ? [] : null),
    isOwn: (file) => file.startsWith('/home/u/.ai-assistant/'),
    untrustedAround: (file) => (file.startsWith('/home/u/other/') ? '/home/u/other' : null),
    exists: () => true,
  };

  test.each<[string, TextSource['kind'] | null, string?]>([
    ['/home/u/p/src/a.ts', null],
    ['/home/u/p/node_modules/left-pad/README.md', 'foreign', 'node_modules/left-pad'],
    ['/home/u/p/node_modules/@a/b/x.js', 'foreign', 'node_modules/@a/b'],
    ['/home/u/p/.venv/lib/python3/site-packages/x/a.py', 'foreign'],
    ['/home/u/.cargo/registry/src/x/lib.rs', 'foreign'],
    ['/home/u/go/pkg/mod/a.test/x@v1/a.go', 'foreign'],
    ['/home/u/p/vendor/github.com/a/b.go', 'foreign', 'vendor/github.com'],
    ['/home/u/p/vendor/bundle/ruby/a.rb', 'foreign'],
    ['/home/u/Downloads/a.pdf', 'foreign', '~/Downloads/a.pdf'],
    ['/home/u/p/inbox/a.eml', 'foreign'],
    ['/home/u/Maildir/cur/1', 'foreign'],
    ['/home/u/other/README.md', 'foreign', '~/other, which you have not trusted'],
    ['/home/u/notes.txt', 'user', '~/notes.txt'],
    ['/home/u/.config/app/settings.json', 'user'],
    ['/srv/data/customers.csv', 'user'],
    ['/home/u/.cache/x', null],
    ['/home/u/.ai-assistant/outputs/1.txt', null],
    ['/usr/include/stdio.h', null],
    ['/etc/hosts', null],
    ['/tmp/out.log', null],
  ])('%s is %s', (file, kind, name) => {
    const [found] = pathSources(file, home);
    expect(found?.kind ?? null).toBe(kind);
    if (name !== undefined) expect(found?.name).toBe(name);
  });

  test('a link is what it leads to', () => {
    const linked: SourcePlace = { ...home, realOf: (file) => file.replace('/p/ln', '/p/node_modules/evil') };
    expect(pathSources('/home/u/p/ln/README.md', linked)).toMatchObject([
      { kind: 'foreign', name: 'node_modules/evil' },
    ]);
    expect(pathSources('/home/u/p/src/a.ts', linked)).toEqual([]);
  });

  test.each([
    'cp -r node_modules nm2',
    'mv node_modules/e e2',
    'tar cf a.tar node_modules',
    'git log origin/main',
    'git branch -a',
  ])('what %s brings is written by others, with or without a network', (line) => {
    for (const hasNetwork of [true, false]) {
      const found = sourcesOf({ tool: 'Bash', accesses: [runs(line)], hasNetwork }, home);
      expect(found.map(({ kind }) => kind)).toContain('foreign');
    }
  });
  test.each(['cp -r src lib', 'mv a b', 'git log', 'git branch', 'ls node_modules', 'rm -rf node_modules'])(
    '%s brings nothing of others',
    (line) =>
      expect(sourcesOf({ tool: 'Bash', accesses: [runs(line)], hasNetwork: false }, home)).toEqual([]),
  );

  test.each<[string, string[]]>([
    ['cat ~/notes.txt', ['~/notes.txt']],
    ['cat "$HOME/notes.txt"', ['~/notes.txt']],
    ['grep -r x ~', ['~']],
    ['cat ../notes.txt', ['~/notes.txt']],
    ['head -3 node_modules/a/b.js', ['node_modules/a']],
    ['cat node_modules/*', ['node_modules/*']],
    ['cat node_modules/@a/*', ['node_modules/@a/*']],
    ['cat ~/$X', ['~/*']],
    ["sed -i 's/a/b/g' src/a.ts", []],
    ['curl https://example.org/a', []],
    ['python3 -c "open(os.path.expanduser(x))"', ['~']],
  ])('%s reads %j', (command, names) =>
    expect(pathsInCommand(command, home).map(({ name }) => name)).toEqual(names),
  );

  const read = (tool: string, accesses: Access[], hasNetwork = true) =>
    sourcesOf({ tool, accesses, hasNetwork }, home).map(({ kind, name }) => `${kind} ${name}`);

  test.each([
    ['node_modules/a/README.md:1:Hello', 'node_modules/a'],
    ['src/a.ts:1:x\n./node_modules/@a/b/x.js-3-y', 'node_modules/@a/b'],
    ['vendor/github.com/a/b.go:1:x', 'vendor/github.com'],
    [
      `${Array.from({ length: 500 }, (_, i) => `src/${i}/a.ts:1:x`).join('\n')}\nnode_modules/a/x.js:1:x`,
      'node_modules/a',
    ],
    ['/home/u/.cargo/registry/src/x/lib.rs:3:x', '~/.cargo/registry/src'],
    ['    at Object.<anonymous> (/p/node_modules/a/x.js:1:2)', null],
    ['error in node_modules/a/x.js: bad', null],
  ])('a search that found %j', (output, name) => {
    const found = sourcesOf(
      { tool: 'Grep', accesses: [{ kind: 'read', target: '.' }], hasNetwork: false, output },
      home,
    );
    expect(found).toEqual(name === null ? [] : [{ kind: 'foreign', name }]);
  });

  test('by tool', () => {
    expect(read('WebFetch', [{ kind: 'fetch', target: 'https://a.test' }])).toEqual([
      'foreign https://a.test/',
    ]);
    expect(read('WebSearch', [{ kind: 'search', target: 'x' }])).toEqual([
      'foreign web search results for "x"',
    ]);
    expect(read('s:t', [{ kind: 'execute', target: 's:t', server: true }])).toEqual([
      'foreign the MCP server s',
    ]);
    expect(read('plugin:t', [{ kind: 'execute', target: 'plugin:t' }])).toEqual([]);
    expect(read('Recall', [])).toEqual(['foreign earlier sessions']);
    expect(read('Bash', [runs('gh issue view 3 | head')])).toEqual(['foreign the output of gh issue view 3']);
    expect(read('Bash', [runs('curl https://a.test')], false)).toEqual([]);
    expect(read('Bash', [runs('cd node_modules && cat a/README.md')], false)).toEqual([
      'foreign node_modules/*',
    ]);
    expect(read('Bash', [runs('cd ..; cat notes.txt')], false)).toEqual(['user ~', 'user ~/*']);
    expect(read('Bash', [runs('cd src && npm test')], false)).toEqual([]);
    expect(read('WebFetch', [{ kind: 'fetch', target: 'https://good.test:x@evil.test/' }])).toEqual([
      expect.not.stringContaining('good.test'),
    ]);
    expect(read('Bash', [runs('node get.js https://a.test/x')])).toEqual([
      'foreign the output of node get.js https://a.test/x',
    ]);
    expect(read('Bash', [runs('echo https://a.test')])).toEqual([]);
    expect(read('Bash', [runs('git commit -m "see https://a.test"')])).toEqual([]);
    expect(read('Write', [{ kind: 'write', target: '~/x' }])).toEqual([]);
  });
});

describe('scripts of package.json', () => {
  const before = '{"scripts":{"test":"vitest","build":"tsc"}}';
  test.each<[string, boolean]>([
    [before, false],
    ['{"scripts":{"test":"vitest","build":"tsc","lint":"biome"}}', false],
    ['{"scripts":{"test":"vitest"},"dependencies":{"a":"1"}}', false],
    ['{"scripts":{"test":"evil","build":"tsc"}}', true],
    ['{"scripts":{"test":"vitest","build":"tsc","postinstall":"evil"}}', true],
    ['{"scripts":{"test":"vitest","build":"tsc","pretest":"evil"}}', true],
    ['{"scripts":{"prepare":"evil"}}', true],
    ['{"scripts":{},"husky":{"hooks":{"pre-commit":"evil"}}}', true],
    ['{"scripts":{},"simple-git-hooks":{"pre-commit":"evil"}}', true],
    ['{"dependencies":{"a":"git+https://evil.test/a.git"}}', true],
    ['{"devDependencies":{"a":"https://evil.test/a.tgz"}}', true],
    ['{"dependencies":{"a":"evil/a"}}', true],
    ['{"overrides":{"b":{"a":"file:../evil"}}}', true],
    ['{"dependencies":{"a":"^1.2.3 || 2","b":"workspace:*","c":"npm:d@1"}}', false],
    ['not json', true],
  ])('%s: %s', (after, expected) => expect(changesScripts(before, after)).toBe(expected));

  test('a new file may have scripts that a person names', () => {
    expect(changesScripts(null, '{"scripts":{"test":"vitest"}}')).toBe(false);
    expect(changesScripts(null, '{"scripts":{"install":"evil"}}')).toBe(true);
  });

  test('the text after an edit; null if the input does not say', () => {
    expect(textAfter('package.json', 'a', { content: 'b' })).toBe('b');
    expect(textAfter('package.json', 'a $x', { old_string: '$x', new_string: '$&' })).toBe('a $&');
    expect(textAfter('package.json', 'a', { old_string: 'z', new_string: 'b' })).toBeNull();
    expect(
      textAfter('package.json', 'a b', {
        edits: [
          { old_string: 'a', new_string: 'c' },
          { old_string: 'c b', new_string: 'd' },
        ],
      }),
    ).toBe('d');
    expect(
      textAfter('package.json', 'a', {
        edits: [{ file_path: 'src/x.ts', old_string: 'z', new_string: 'b' }],
      }),
    ).toBe('a');
    expect(textAfter('package.json', 'a', { files: [] })).toBeNull();
  });
});
