import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startupFiles } from './startup/list.ts';
import {
  checkedStartupRule,
  homeStartupNames,
  isAboveStartupFile,
  sealedNames,
  startupRule,
} from './startup-files.ts';

describe.each(startupFiles)('writes ask because $because', ({ because, examples }) => {
  test.each(examples.hits)('%s', (name) => expect(startupRule(`/p/${name}`)?.because).toBe(because));
  test.each(examples.misses)('not %s', (name) => expect(startupRule(`/p/${name}`)).toBeUndefined());
});

test('Windows paths work like any other', () => {
  expect(startupRule('C:\\p\\.git\\hooks\\pre-commit')?.because).toBe('git runs commands from it');
});

const named = [
  '.husky/pre-commit',
  '.vscode/tasks.json',
  '.mcp.json',
  '.claude/settings.json',
  '.npmrc',
  '.envrc',
  '.gitattributes',
  '.ai-assistant.json',
  '.github/workflows/ci.yml',
  'AGENTS.md',
  'CLAUDE.md',
];

test.each(named)('%s is checked after commands, in any folder and case', (name) => {
  const folder = fc.array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { maxLength: 6 });
  fc.assert(
    fc.property(folder, fc.boolean(), (parts, upper) => {
      const file = ['', ...parts, upper ? name.toUpperCase() : name].join('/');
      expect(checkedStartupRule(file)).toBeDefined();
      expect(startupRule(file)).toBeDefined();
    }),
  );
});

test('every checked file is also asked about', () => {
  const hits = startupFiles.flatMap(({ examples }) => examples.hits);
  for (const hit of hits) if (checkedStartupRule(hit)) expect(startupRule(hit)).toBeDefined();
  expect(hits.filter((hit) => !checkedStartupRule(hit)).map((hit) => hit.toLowerCase())).toEqual(
    hits.filter((hit) => /(^|\/)\.g.?it(\/|$)|\.pth$/i.test(hit)).map((hit) => hit.toLowerCase()),
  );
});

test('the names to mount are plain names and cover everything that runs automatically', () => {
  expect([...sealedNames].sort()).toEqual([
    '.ai-assistant',
    '.ai-assistant.json',
    '.claude',
    '.cursor',
    '.devcontainer',
    '.envrc',
    '.githooks',
    '.husky',
    '.idea',
    '.lefthook',
    '.mcp.json',
    '.vscode',
    '.zed',
  ]);
  expect(homeStartupNames.filter((name) => /[*{}]|\/$/.test(name))).toEqual([]);
  expect(homeStartupNames).toEqual(
    expect.arrayContaining([
      '.bashrc',
      '.config/fish',
      '.config/git',
      '.local/bin',
      'Library/LaunchAgents',
      '.vimrc',
    ]),
  );
});

test('a link to a folder is followed if the folder could contain a startup file', () => {
  const folders = ['.vscode', '.github', '.github/x', 'a/.github', '.config', '.yarn', 'src', '.husky'];
  expect(folders.filter((folder) => isAboveStartupFile(`/p/${folder}`))).toEqual([
    '.vscode',
    '.github',
    'a/.github',
    '.config',
    '.yarn',
  ]);
});
