import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createAgent } from '../../src/api/create-agent.ts';
import type { PermissionRequest } from '../../src/contract/permission.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const changes: CallWords[] = [
  ['Write', { file_path: 'made.txt', content: 'a' }],
  ['Bash', { command: 'touch touched' }],
  ['Bash', { command: "cat > doc <<'E' && rm doc\n\nx\nE" }],
];
const lasting: CallWords[] = [
  ['Write', { file_path: '.vscode/settings.json', content: '{}' }],
  ['Write', { file_path: '../outside.txt', content: 'a' }],
  ['Bash', { command: 'git reset --hard' }],
  ['Bash', { command: 'rm -rf .git' }],
  ['Bash', { command: 'touch x', outside_sandbox: true }],
];

/** What was asked about, in order; every question is declined. */
async function asked(
  trust: boolean,
  settings: Record<string, unknown>,
  ...turns: CallWords[][]
): Promise<string[]> {
  const space = await workspace({ 'a.txt': 'a\n' });
  await mkdir(path.join(space.root, '.git'));
  const server = await serve([...turns.map((turn) => calls(...turn)), says('done')]);
  const { model, env } = doors.anthropic(server.url);
  const questions: string[] = [];
  const approve = ({ operation }: PermissionRequest) => {
    questions.push(operation.replace(path.dirname(space.root), '..'));
    return false;
  };
  const agent = await createAgent({
    cwd: space.root,
    model,
    trust,
    settings,
    env: cleanEnv(space, env),
    permissions: { approve },
  });
  try {
    await agent.run('go').result;
  } finally {
    await agent.close();
  }
  return questions;
}

test('[U01] in a trusted folder edits and sandboxed commands run unasked; what lasts or leaves the folder asks', async ({
  skip,
}) => {
  if (noBubblewrap) skip(noBubblewrap);
  const turns = lasting.map((one) => [one]);
  expect(await asked(true, {}, changes, ...turns)).toEqual([
    'Write .vscode/settings.json',
    'Write ../outside.txt',
    'Bash git reset --hard',
    'Bash rm -rf .git',
    'Bash touch x',
  ]);
});

test.each<[string, boolean, Record<string, unknown>]>([
  ['the folder is not trusted', false, {}],
  ['the user wants to be asked before every change', true, { sandbox: { autoApprove: false } }],
  ['there is no sandbox', true, { sandbox: { kind: 'off' } }],
])('every change is asked about where %s', async (_, trust, settings) => {
  const turns = changes.map((one) => [one]);
  expect(await asked(trust, settings, ...turns)).toHaveLength(changes.length);
});
