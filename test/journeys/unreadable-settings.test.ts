import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { aca } from '../support/aca.ts';
import { sampled, sweep } from '../support/soak.ts';
import { makePipe } from '../support/tool-context.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const rootOf = (space: Workspace) => path.join(space.home, '.ai-assistant');

const files: Record<string, (space: Workspace) => string> = {
  'user settings': (space) => path.join(rootOf(space), 'config.json'),
  'project settings': (space) => path.join(space.root, '.ai-assistant.json'),
  '.mcp.json': (space) => path.join(space.root, '.mcp.json'),
  'trusted folders': (space) => path.join(rootOf(space), 'trust.json'),
  keys: (space) => path.join(rootOf(space), 'credentials.json'),
};

const DEPTH = 100_000;
const kinds: Record<string, (file: string) => void> = {
  'a link to itself': (file) => symlinkSync(path.basename(file), file),
  'links in a circle': (file) => {
    symlinkSync(`${file}.other`, file);
    symlinkSync(file, `${file}.other`);
  },
  'open brackets': (file) => writeFileSync(file, '['.repeat(DEPTH)),
  'nested lists': (file) => writeFileSync(file, '['.repeat(DEPTH) + ']'.repeat(DEPTH)),
  'nested tables': (file) => writeFileSync(file, `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`),
  'nested below a known key': (file) =>
    writeFileSync(file, `{"plugins":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`),
  'a folder': (file) => mkdirSync(file),
  'a pipe': (file) => makePipe(file),
};

const table = Object.keys(files).flatMap((name) => Object.keys(kinds).map((kind) => [name, kind] as const));

async function withBad(name: string, kind: string) {
  const space = await workspace({});
  mkdirSync(rootOf(space), { recursive: true });
  const file = files[name]?.(space) ?? '';
  kinds[kind]?.(file);
  return { space, file };
}

/** A sentence that names the file, and one that says what to do. */
function expectClear({ code, stderr }: { code: number | null; stderr: string }, file: string) {
  const lines = stderr.trimEnd().split('\n');
  expect({ code, lines: lines.length, stderr }).toMatchObject({ code: 2, lines: 2 });
  expect(lines[0]?.startsWith(file), stderr).toBe(true);
  expect(lines[1]).toMatch(/^(Move it away|Remove it|Fix it there)/);
}

describe.skipIf(process.platform === 'win32')('what cannot be read is named, with what to do', () => {
  sweep(sampled(table, 13))('%s: %s', async (name, kind) => {
    const { space, file } = await withBad(name, kind);
    expectClear(await aca(space, ['-p', 'go', '--model', 'anthropic/claude-sonnet-4-5']), file);
  });

  sweep([
    ['user settings', ['config', 'set', 'maxTurns', '3']],
    ['user settings', ['mcp', 'add', 'x', 'true']],
    ['.mcp.json', ['mcp', 'add', '--project', 'x', 'true']],
    ['.mcp.json', ['mcp', 'remove', '--project', 'x']],
    ['trusted folders', ['trust', '--list']],
    ['trusted folders', ['trust', '--revoke']],
    ['keys', ['keys', 'list']],
  ])('%s, when aca %j would change or show them', async (name, args) => {
    for (const kind of ['a link to itself', 'open brackets', 'a folder', 'a pipe']) {
      const { space, file } = await withBad(name, kind);
      expectClear(await aca(space, args), file);
    }
  });

  sweep<[string, (root: string) => void]>([
    ['a file', (root) => writeFileSync(root, '')],
    ['a link to itself', (root) => symlinkSync(root, root)],
    ['a pipe', (root) => makePipe(root)],
  ])('a data root that is %s', async (_, make) => {
    const space = await workspace({});
    make(rootOf(space));
    expectClear(await aca(space, ['-p', 'go']), rootOf(space));
  });
});
