import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { extensionFiles, extensionsOf, isExtension, userExtensionFiles } from './extension-files.ts';
import type { Config } from './schema/schema.ts';
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

test('files for other assistants are found in a project; a skill may be a link inside it', async () => {
  const { root, home } = await workspace({
    '.agents/skills/pdf/SKILL.md': 'P',
    '.agents/skills/pdf/scripts/deep/SKILL.md': '',
    '.claude/agents/team/a.md': 'A',
    '.codex/prompts/draft.md': 'D',
    '.cursor/commands/c.md': 'C',
    '.gemini/commands/git/g.toml': 'G',
    '.gemini/commands/notes.md': '',
    '.claude/commands/no.toml': '',
    '.opencode/command/o.md': 'O',
  });
  await mkdir(path.join(root, '.claude/skills'));
  await symlink('../../.agents/skills/pdf', path.join(root, '.claude/skills/pdf'));
  await mkdir(path.join(home, 'x'));
  await writeFile(path.join(home, 'x/SKILL.md'), 'secret');
  await symlink(path.join(home, 'x'), path.join(root, '.claude/skills/x'));
  const found = extensionFiles({ root, cwd: root });
  expect(found.map(({ name }) => name)).toEqual([
    '.claude/skills/pdf/SKILL.md',
    '.claude/agents/team/a.md',
    '.agents/skills/pdf/SKILL.md',
    '.codex/prompts/draft.md',
    '.gemini/commands/git/g.toml',
    '.cursor/commands/c.md',
    '.opencode/command/o.md',
  ]);
  expect(extensionsOf(found, 'command').map((one) => [one.of, one.path])).toEqual([
    ['codex', 'draft.md'],
    ['gemini', 'git/g.toml'],
    ['cursor', 'c.md'],
    ['opencode', 'o.md'],
  ]);
});

test("the user's files come from the data root, then from the folders of other assistants, unless ignored", async () => {
  const { root: home } = await workspace({
    'data/commands/a.md': 'A',
    '.claude/commands/sub/b.md': 'B',
    '.claude/agents/c.md': 'C',
    '.agents/skills/s/SKILL.md': 'S',
    '.codex/prompts/p.md': 'P',
    '.config/opencode/command/o.md': 'O',
  });
  await mkdir(path.join(home, '.claude/skills'));
  await symlink('../../.agents/skills/s', path.join(home, '.claude/skills/t'));
  const names = (otherAssistants: Config['otherAssistants']) =>
    userExtensionFiles({ dataRoot: path.join(home, 'data'), env: { HOME: home }, otherAssistants }).map(
      ({ name }) => name,
    );
  expect(names({ claude: 'no-settings', codex: 'use' })).toEqual([
    '.ai-assistant/commands/a.md',
    '.claude/commands/sub/b.md',
    '.claude/skills/t/SKILL.md',
    '.claude/agents/c.md',
    '.agents/skills/s/SKILL.md',
    '.codex/prompts/p.md',
    '.opencode/command/o.md',
  ]);
  expect(names({ claude: 'ignore', codex: 'ignore', opencode: 'ignore' })).toEqual([
    '.ai-assistant/commands/a.md',
    '.agents/skills/s/SKILL.md',
  ]);
  const moved = { CLAUDE_CONFIG_DIR: path.join(home, 'data'), CODEX_HOME: path.join(home, 'none') };
  const elsewhere = userExtensionFiles({
    dataRoot: path.join(home, 'none'),
    env: { HOME: home, ...moved },
    otherAssistants: { opencode: 'ignore' },
  });
  expect(elsewhere.map(({ name }) => name)).toEqual(['.claude/commands/a.md', '.agents/skills/s/SKILL.md']);
});
