import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Workspace, workspace } from '../../test/support/workspace.ts';
import { loadConfig } from './load.ts';
import { settled } from './schema/check-settings.ts';

async function withUserFile(text: string): Promise<Workspace> {
  const space = await workspace({});
  await writeFile(path.join(space.home, 'config.json'), text);
  return space;
}

function load({ home, root }: Workspace) {
  return loadConfig({ home, cwd: root, env: {}, trusted: false });
}

describe('[Y27] [C01] aliases', () => {
  test('are read as the key itself', async () => {
    const space = await withUserFile(
      '{ "streamResponses": false, "confirmBeforeWrite": false, "autoApproveReads": false, "historyPath": "/h" }',
    );
    expect(load(space)).toMatchObject({
      config: {
        ...settled({}),
        streamOutput: false,
        requireApprovalForWrites: false,
        requireApprovalForReads: true,
        sessionDirectory: path.resolve('/h'),
      },
      notices: [],
    });
  });

  test('are overridden by the key itself', async () => {
    const space = await withUserFile('{ "streamOutput": true, "streamResponses": false }');
    expect(load(space).config.streamOutput).toBe(true);
  });
});
