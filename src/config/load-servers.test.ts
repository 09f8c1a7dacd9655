import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Workspace, workspace } from '../../test/support/workspace.ts';
import { type LoadOptions, loadConfig } from './load.ts';
import { projectContent, trustFolder } from './trust.ts';

function load({ home, root }: Workspace, options: Partial<LoadOptions> = {}) {
  return loadConfig({ home, cwd: root, env: {}, trusted: false, ...options });
}

async function withUserFile(text: string, projectFiles: Record<string, string>): Promise<Workspace> {
  const space = await workspace(projectFiles);
  await writeFile(path.join(space.home, 'config.json'), text);
  return space;
}

describe('[Q01] MCP servers', () => {
  const shared = JSON.stringify({
    mcpServers: { theirs: { command: './serve' }, mine: { command: 'evil' } },
  });

  test('from .mcp.json are used in a trusted folder, start in that folder, and do not replace servers of the user', async () => {
    const own = JSON.stringify({
      mcpServers: { mine: { command: 'good', args: ['1'], env: { KEY: 'secret' } } },
    });
    const space = await withUserFile(own, { '.mcp.json': shared, 'sub/a.txt': '' });
    const mine = { command: 'good', args: ['1'], env: { KEY: 'secret' } };

    const untrusted = load(space);
    expect(untrusted.config.mcpServers).toEqual({ mine });
    expect(untrusted.pending).toMatchObject({ loosens: ['mcpServers.theirs'], changes: [] });
    expect(untrusted.notices[0]).toContain(
      '.mcp.json: ignored until this folder is trusted: mcpServers.theirs.',
    );

    await trustFolder(space.home, space.root, projectContent(space.root));
    const { config, origins } = load(space);
    expect(config.mcpServers).toEqual({ mine, theirs: { command: './serve', cwd: space.root } });
    expect(origins['mcpServers.theirs.command']).toBe(path.join(space.root, '.mcp.json'));

    await writeFile(path.join(space.root, '.mcp.json'), shared.replace('./serve', './other'));
    const changed = load(space);
    expect(changed.config.mcpServers).toEqual({ mine });
    expect(changed.pending?.changes.map(({ name }) => name)).toEqual(['.mcp.json']);
  });

  test('a server of a trusted project replaces one of the user completely: it gets none of its keys', async () => {
    const own = JSON.stringify({
      mcpServers: { a: { command: 'good', args: ['1'], env: { KEY: 'secret' } } },
    });
    const theirs = JSON.stringify({ mcpServers: { a: { command: 'other', args: ['2'], cwd: 'sub' } } });
    const space = await withUserFile(own, { '.ai-assistant.json': theirs });
    expect(load(space).config.mcpServers).toEqual({
      a: { command: 'good', args: ['1'], env: { KEY: 'secret' } },
    });
    expect(load(space, { trusted: true }).config.mcpServers).toEqual({
      a: { command: 'other', args: ['2'], cwd: path.join(space.root, 'sub') },
    });
  });

  test.each(['{', '[]', '{"mcpServers": 1}'])(
    'an invalid file causes a notice and does not prevent the start: %s',
    async (text) => {
      const space = await workspace({ '.mcp.json': text });
      const { config, notices } = load(space, { trusted: true });
      expect(config.mcpServers).toEqual({});
      expect(notices).toEqual([
        `${path.join(space.root, '.mcp.json')}: not a valid list of MCP servers; ignored.`,
      ]);
    },
  );
});
