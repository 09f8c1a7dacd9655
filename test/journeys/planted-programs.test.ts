// @module-tag soak
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca, doors } from '../support/aca.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const system = process.env.PATH ?? '';
const kinds = ['auto', 'off'];

/** A project with programs of harmless names, each of which leaves a canary behind. */
async function planted(names: string[], folder = 'tools'): Promise<Workspace & { canary: string }> {
  const space = await workspace({ 'a.txt': 'one\n', 'lib.sh': '' });
  const canary = path.join(space.root, 'canary');
  await mkdir(path.join(space.root, folder), { recursive: true });
  for (const name of names) {
    const file = path.join(space.root, folder, name);
    await writeFile(file, `#!/bin/sh\n: > ${canary}\n`);
    await chmod(file, 0o755);
  }
  return { ...space, canary };
}

async function runAll(space: Workspace, commands: string[], env: Record<string, string>, kind: string) {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify({ sandbox: { kind } }));
  const asked = calls(...commands.map((command): CallWords => ['Bash', { command }]));
  const server = await serve([asked, says('done')]);
  const door = doors.anthropic(server.url);
  const args = ['-p', 'look', '--model', door.model, '--output-format', 'json'];
  const { stdout } = await aca(space, args, { env: { ...door.env, ...env } });
  return JSON.parse(stdout) as Report;
}

describe.each(kinds)('[Y06] sandbox %s', (kind) => {
  sweep([
    ['a folder of the project', (root: string) => `${root}/tools:${system}`],
    ['a relative folder', () => `tools:${system}`],
  ])('%s in the PATH: a command that would run a program from there is asked about', async (_name, PATH) => {
    const space = await planted(['ls', 'cat', 'git']);
    const commands = ['ls', 'cat a.txt', 'git status', 'timeout 5 ls', "bash -c 'cat a.txt'", 'wc -l a.txt'];
    const report = await runAll(space, commands, { PATH: PATH(space.root) }, kind);
    expect(report.commands).toEqual([{ command: 'wc -l a.txt', exitCode: 0 }]);
    expect(report.denials.length).toBe(commands.length - 1);
    expect(report.denials[0]?.because).toContain(`ls would run ${space.root}/tools/ls`);
    expect(existsSync(space.canary)).toBe(false);
  });

  test('the current folder in the PATH', async () => {
    const space = await planted(['ls'], '.');
    const report = await runAll(space, ['ls'], { PATH: `.:${system}` }, kind);
    expect([report.commands, report.denials.length]).toEqual([[], 1]);
    expect(existsSync(space.canary)).toBe(false);
  });

  test('a program that the one that was judged would look for does not come from the project', async () => {
    // npm is a script for whatever `env node` finds.
    const space = await planted(['node']);
    await runAll(space, ['npm --version'], { PATH: `${space.root}/tools:${system}` }, kind);
    expect(existsSync(space.canary)).toBe(false);
  });

  test('functions, traces and libraries in the environment do not run with a command that only looks', async () => {
    const space = await planted(['evil']);
    const env = {
      'BASH_FUNC_ls%%': `() { : > ${space.canary}; }`,
      SHELLOPTS: 'xtrace',
      PS4: `$(: > ${space.canary})`,
      CDPATH: '/',
      RIPGREP_CONFIG_PATH: path.join(space.root, 'rc'),
      GIT_EXTERNAL_DIFF: path.join(space.root, 'tools/evil'),
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${space.root}/tools/evil'`,
    };
    await writeFile(path.join(space.root, 'rc'), `--pre=${space.root}/tools/evil\n`);
    const commands = ['ls', 'cat a.txt | wc -l', 'git status'];
    const report = await runAll(space, commands, env, kind);
    expect(report.denials).toEqual([]);
    expect(report.commands.map(({ command }) => command).sort()).toEqual(commands.toSorted());
    expect(existsSync(space.canary)).toBe(false);
  });
});

test('aca policy judges by the PATH it is called with', async () => {
  const space = await planted(['ls']);
  const verdict = async (PATH: string) => {
    const { stdout } = await aca(space, ['policy', 'test', '--json', 'ls'], { env: { PATH } });
    return (JSON.parse(stdout) as { verdict: string }).verdict;
  };
  expect([await verdict(system), await verdict(`tools:${system}`)]).toEqual(['allow', 'ask']);
});
