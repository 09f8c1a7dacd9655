import { expect, test } from 'vitest';
import type { GrepQuery } from '../src/contract/tool.ts';
import { createFirewall } from '../src/firewall/firewall.ts';
import { createGuard } from '../src/sandbox/guard.ts';
import { FileSearch } from '../src/sandbox/search/search.ts';
import { seededBytes } from './support/seeded-bytes.ts';
import { sweep } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

const bytes = seededBytes('search');

const token = `ghp_${bytes(18).toString('hex')}`;
const modes = ['files', 'count', 'content'] as const;

async function searched(files: Record<string, string>) {
  const { root, home } = await workspace(files);
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  const firewall = createFirewall({ secrets: [], key: () => 'k' });
  const search = new FileSearch({ guard, cwd: root, redact: (text) => firewall.hide(text) });
  const grep = (query: GrepQuery) => search.grep(query, { limit: 50, signal: new AbortController().signal });
  return { grep, firewall };
}

sweep(modes)('%s: no guess at a secret is answered, right or wrong', async (mode) => {
  const { grep } = await searched({
    'config.ts': `export const token = '${token}';\nexport const port = 3000;\n`,
    'other.ts': 'port\n',
  });
  const guesses = [
    token.slice(0, 6),
    token.slice(0, 12),
    token,
    token.slice(10, 20),
    `ghp_${token[4]}`,
    `gh[p]_${token[4]}.`,
    `token(?=.*${token.slice(4, 8)})`,
    `^(?=.*${token.slice(6, 9)}).*port|${token.slice(5, 9)}`,
    `${token.slice(4, 7).toUpperCase()}`,
  ];
  const none = mode === 'content' ? { matches: 0, files: 0 } : {};
  for (const pattern of guesses) {
    for (const under of [undefined, 'config.ts']) {
      const query = { pattern, mode, ignoreCase: true, ...(under && { path: under }) };
      expect(await grep(query), pattern).toEqual(
        pattern === token ? expect.anything() : { lines: [], total: 0, ...none },
      );
    }
  }
});

test('the rest of such a file is found as ever, with line numbers, counts and context', async () => {
  const { grep } = await searched({
    'config.ts': `one\nexport const token = '${token}';\nexport const port = 3000;\n`,
  });
  expect(await grep({ pattern: 'port = ', mode: 'content' })).toEqual({
    lines: ['config.ts:3:export const port = 3000;'],
    total: 1,
    matches: 1,
    files: 1,
  });
  expect(await grep({ pattern: 'export', mode: 'count' })).toEqual({ lines: ['config.ts:2'], total: 1 });
  expect(await grep({ pattern: 'export', mode: 'files' })).toEqual({ lines: ['config.ts'], total: 1 });
  const { lines } = await grep({ pattern: 'token', mode: 'content', contextLines: 1 });
  expect(lines.join('\n')).toMatch(
    /^config\.ts-1-one\nconfig\.ts:2:export const token = '\[secret:github-token:\w+\]';\nconfig\.ts-3-export/,
  );
});

test('a whole secret finds where its placeholder stands', async () => {
  const { grep } = await searched({
    'a.ts': `x = '${token}'\n`,
    'b.ts': `y\nz = '${token}'\n`,
    'c.ts': 'nothing\n',
  });
  const { lines } = await grep({ pattern: token, mode: 'files' });
  expect([...lines].sort()).toEqual(['a.ts', 'b.ts']);
});

test('a file without secrets is not touched by it', async () => {
  const { grep } = await searched({ 'a.ts': 'const tokens = 3;\nconst b = 1;\n' });
  expect(await grep({ pattern: 'const', mode: 'content' })).toEqual({
    lines: ['a.ts:1:const tokens = 3;', 'a.ts:2:const b = 1;'],
    total: 2,
    matches: 2,
    files: 1,
  });
});
