import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Workspace, workspace } from '../../test/support/workspace.ts';
import { loadConfig } from './load.ts';
import { projectContent, trustFolder } from './trust.ts';

const CLAUDE = {
  permissions: {
    allow: ['Bash(npm test)'],
    ask: ['WebFetch'],
    deny: ['Read(./secrets/**)'],
    defaultMode: 'acceptEdits',
  },
  hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say' }] }] },
  env: { A: '1' },
  model: 'opus',
};

async function withHome(files: Record<string, unknown>, projectFiles: Record<string, unknown> = {}) {
  const space = await workspace(
    Object.fromEntries(Object.entries(projectFiles).map(([name, value]) => [name, textOf(value)])),
  );
  for (const [name, value] of Object.entries(files)) {
    const file = path.join(space.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, textOf(value));
  }
  return space;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function load({ home, root }: Workspace, trusted = false) {
  return loadConfig({ home: path.join(home, '.ai-assistant'), cwd: root, env: { HOME: home }, trusted });
}

describe('files of other assistants in the home folder', () => {
  test('only restrict until the user decides, and one notice says so', async () => {
    const space = await withHome({ '.claude/settings.json': CLAUDE });
    const file = path.join(space.home, '.claude/settings.json');
    const { config, notices, rules, others, pending } = load(space);
    expect(config.permissions).toEqual({
      allow: [],
      ask: ['WebFetch'],
      deny: ['Read(./secrets/**)'],
      trust: [],
    });
    expect([config.mode, config.env, config.hooks.Stop, config.model]).toEqual([
      'default',
      {},
      [],
      undefined,
    ]);
    expect(rules.map(({ rule }) => rule)).toEqual(['WebFetch', 'Read(./secrets/**)']);
    expect(others.waiting).toEqual([
      { assistant: 'claude', file, settings: ['permissions.allow', 'mode', 'hooks', 'env', 'model'] },
    ]);
    expect(notices).toEqual([
      expect.stringMatching(/only what restricts applies until you decide.*`aca import`/),
    ]);
    expect(pending).toBe(null);
  });

  test.each([
    ['use', ['Bash(npm test)'], ['Read(./secrets/**)'], 'opus'],
    ['no-settings', [], [], undefined],
    ['ignore', [], [], undefined],
  ])('after the answer %s there is no notice', async (answer, allow, deny, model) => {
    const space = await withHome({
      '.claude/settings.json': CLAUDE,
      '.ai-assistant/config.json': { otherAssistants: { claude: answer } },
    });
    const { config, notices, others } = load(space);
    expect([config.permissions.allow, config.permissions.deny, config.model]).toEqual([allow, deny, model]);
    expect([notices, others.waiting]).toEqual([[], []]);
  });

  test('our own file is used for the same key, and deny rules of all files apply', async () => {
    const space = await withHome({
      '.claude/settings.json': CLAUDE,
      '.codex/config.toml': 'model = "gpt-5"\n[mcp_servers.docs]\ncommand = "docs"\n',
      '.gemini/settings.json': { tools: { exclude: ['web_fetch'] } },
      '.ai-assistant/config.json': {
        otherAssistants: { claude: 'use', codex: 'use', gemini: 'use' },
        mode: 'plan',
        permissions: { deny: ['Bash(rm *)'] },
      },
    });
    const { config, origins } = load(space);
    expect(config.mode).toBe('plan');
    expect(config.permissions.deny).toEqual(['WebFetch', 'Read(./secrets/**)', 'Bash(rm *)']);
    expect(config.mcpServers).toEqual({ docs: { command: 'docs' } });
    expect([config.model, origins.model]).toEqual(['opus', path.join(space.home, '.claude/settings.json')]);
  });

  test('one that is broken or unreadable is a notice, and the others work', async () => {
    const space = await withHome({
      '.claude/settings.json': '{ "permissions": ',
      '.cursor/mcp.json/folder': '',
      '.gemini/settings.json': { excludeTools: ['web_fetch'] },
    });
    const { config, notices } = load(space);
    expect(config.permissions.deny).toEqual(['WebFetch']);
    expect(notices.sort()).toEqual([
      expect.stringMatching(/\.claude\/settings\.json:1:\d+: this is not valid JSON/),
      expect.stringMatching(/\.cursor\/mcp\.json is not a settings file; it is ignored\./),
    ]);
  });

  test('files that restrict and have no effect are named, until the user ignores that assistant', async () => {
    const files = { '.geminiignore': 'secrets/', '.cursor/hooks.json': '{}' };
    const space = await withHome({ '.codex/rules/default.rules': 'x' }, files);
    const named = () => load(space).notices.map((notice) => notice.split(' ')[0]);
    expect(named()).toEqual(['~/.codex/rules/*.rules', '.geminiignore', '.cursor/hooks.json']);
    await mkdir(path.join(space.home, '.ai-assistant'), { recursive: true });
    await writeFile(
      path.join(space.home, '.ai-assistant/config.json'),
      JSON.stringify({ otherAssistants: { gemini: 'ignore', codex: 'ignore' } }),
    );
    expect(named()).toEqual(['.cursor/hooks.json']);
  });

  test('a home folder that is the working directory has no project files', async () => {
    const space = await withHome({});
    await mkdir(path.join(space.root, '.claude'));
    await writeFile(path.join(space.root, '.claude/settings.json'), JSON.stringify(CLAUDE));
    vi.stubEnv('HOME', space.root);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { others } = loadConfig({
      home: space.home,
      cwd: space.root,
      env: { HOME: space.root },
      trusted: true,
    });
    expect(others.found.map(({ assistant }) => assistant)).toEqual(['claude']);
  });
});

describe('files of other assistants in a project', () => {
  const project = {
    '.claude/settings.json': CLAUDE,
    '.claude/settings.local.json': {
      model: 'haiku',
      permissions: { deny: ['Bash(curl:*)'] },
      disabledMcpjsonServers: ['b'],
    },
    '.cursor/mcp.json': { mcpServers: { cursor: { command: './srv' }, mine: { command: 'evil' } } },
    '.mcp.json': { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } },
  };

  test('restrict at once, and grant only when the folder is trusted', async () => {
    const space = await withHome({}, project);
    const { config, pending, notices } = load(space);
    expect(config.permissions).toEqual({
      allow: [],
      ask: ['WebFetch'],
      deny: ['Read(./secrets/**)', 'Bash(curl:*)'],
      trust: [],
    });
    expect([config.mcpServers, config.env, config.hooks.Stop]).toEqual([{}, {}, []]);
    expect(pending?.content.map(({ name }) => name)).toEqual([
      '.mcp.json',
      '.cursor/mcp.json',
      '.claude/settings.json',
      '.claude/settings.local.json',
    ]);
    expect(pending?.loosens).toEqual(
      expect.arrayContaining(['permissions.allow', 'hooks', 'mcpServers', 'mcpServers.a']),
    );
    expect(notices.join('\n')).toMatch(
      /\.claude\/settings\.json: ignored until this folder is trusted: permissions\.allow/,
    );
  });

  test('are used once trusted, until they change', async () => {
    const space = await withHome(
      { '.ai-assistant/config.json': { mcpServers: { mine: { command: 'good' } } } },
      project,
    );
    const dataRoot = path.join(space.home, '.ai-assistant');
    await trustFolder(dataRoot, space.root, projectContent(space.root, dataRoot));
    const { config, notices, pending } = load(space);
    expect(config.model).toBe('haiku');
    expect(config.permissions.allow).toEqual(['Bash(npm test)']);
    expect(config.mcpServers).toEqual({
      mine: { command: 'good' },
      cursor: { command: './srv', cwd: space.root },
      a: { command: 'a', cwd: space.root },
      b: { command: 'b', cwd: space.root, disabled: true },
    });
    expect([notices, pending]).toEqual([[], null]);

    await writeFile(
      path.join(space.root, '.claude/settings.json'),
      JSON.stringify({ permissions: { allow: ['Bash'] } }),
    );
    const changed = load(space);
    expect(changed.config.permissions.allow).toEqual([]);
    expect(changed.pending?.changes.map(({ name }) => name)).toEqual(['.claude/settings.json']);
  });

  test('lose to our own file of the project', async () => {
    const space = await withHome({}, { ...project, '.ai-assistant.json': { model: 'gpt', mode: 'plan' } });
    const { config } = load(space, true);
    expect([config.model, config.mode]).toEqual(['gpt', 'plan']);
  });
});
