import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Workspace, workspace } from '../../test/support/workspace.ts';
import { loadConfig } from './load.ts';
import { settled } from './schema/check-settings.ts';

const defaults = settled({});

async function withUserFile(text: string): Promise<Workspace> {
  const space = await workspace({});
  await writeFile(path.join(space.home, 'config.json'), text);
  return space;
}

function load({ home, root }: Workspace) {
  return loadConfig({ home, cwd: root, env: {}, trusted: false });
}

test('every key that looks misspelt is an error with its place and the nearest key', async () => {
  const space = await withUserFile(
    '{\n  // mine\n  "modle": "x",\n  "maxTurns": 5,\n  "permissions": { "alow": [] },\n  "$schema": "s",\n}',
  );
  const file = path.join(space.home, 'config.json');
  expect(() => load(space)).toThrow(
    `${file}:5:20: unknown setting permissions.alow. Did you mean allow?\n` +
      `${file}:3:3: unknown setting modle. Did you mean model?`,
  );
});

test.each<[string, string]>([
  ['{ "mdoe": "plan" }', 'mdoe. Did you mean mode?'],
  ['{ "permissions": { "denny": ["Bash"] } }', 'permissions.denny. Did you mean deny?'],
  ['{ "permissions": { "forbid": ["Bash"] } }', 'permissions.forbid.'],
  ['{ "sandbox": { "levle": "strict" } }', 'sandbox.levle. Did you mean level?'],
  ['{ "sandbox": { "everything": "closed" } }', 'sandbox.everything.'],
  ['{ "limits": { "dialy": "$5" } }', 'limits.dialy.'],
  ['{ "hooks": { "PreToolUze": [] } }', 'hooks.PreToolUze. Did you mean PreToolUse?'],
  ['{ "blockedComands": ["rm"] }', 'blockedComands. Did you mean blockedCommands?'],
  ['{ "blokedPaths": ["x"] }', 'blokedPaths. Did you mean blockedPaths?'],
  ['{ "ofline": true }', 'ofline. Did you mean offline?'],
  ['{ "maxTrns": 3 }', 'maxTrns. Did you mean maxTurns?'],
  ['{ "fallbackModle": "x" }', 'fallbackModle. Did you mean fallbackModel?'],
])('%s never passes', async (text, part) => {
  const space = await withUserFile(text);
  expect(() => load(space)).toThrow(`unknown setting ${part}`);
});

test('a key that resembles none is reported, and the rest is used', async () => {
  const space = await withUserFile('{ "unheardOf": 1, "hooks": { "TeammateIdle": [] }, "maxTurns": 5 }');
  const file = path.join(space.home, 'config.json');
  expect(load(space)).toMatchObject({
    config: { ...defaults, maxTurns: 5 },
    notices: [
      `${file}:1:30: unknown setting hooks.TeammateIdle is ignored.`,
      `${file}:1:3: unknown setting unheardOf is ignored.`,
    ],
  });
});
