import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Many starts of the program in one test: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

/** A machine on which the program was used: a session, a stored key, a completion script and a line that loads one. */
async function usedMachine(): Promise<Workspace> {
  const space = await workspace({ '.ai-assistant.json': '{}' });
  const server = await serve([says('hello')]);
  const { model, env } = doors['openai-chat'](server.url);
  await aca(space, ['-p', 'say hello', '--model', model], { env });
  await aca(space, ['keys', 'set', 'anthropic'], { stdin: 'sk-ant-1234567890' });
  const fish = path.join(space.home, '.config/fish/completions');
  await mkdir(fish, { recursive: true });
  await writeFile(path.join(fish, 'aca.fish'), (await aca(space, ['completion', 'fish'])).stdout);
  await writeFile(path.join(space.home, '.bashrc'), '# mine\nsource <(aca completion bash)\n');
  return space;
}

const rootOf = (space: Workspace) => path.join(space.home, '.ai-assistant');

test('[D01] by default it only shows what there is, and what stays', soak, async () => {
  const space = await usedMachine();
  const before = (await readdir(rootOf(space))).sort();
  const { code, stdout } = await aca(space, ['uninstall']);
  expect(code).toBe(0);
  for (const part of before) expect(stdout).toContain(path.join(rootOf(space), part));
  expect(stdout).toContain(path.join(space.home, '.config/fish/completions/aca.fish'));
  expect(stdout).toContain(
    `${path.join(space.home, '.bashrc')}:2 loads completions; remove that line yourself.`,
  );
  expect(stdout).toContain('Nothing was removed. To remove it, run: aca uninstall --yes\n');
  expect(stdout).not.toContain('sk-ant');
  expect((await readdir(rootOf(space))).sort()).toEqual(before);
});

test('[D01] --yes removes it all, after the sessions were exported; files of projects and of the user stay', async () => {
  const space = await usedMachine();
  const { code, stdout } = await aca(space, ['uninstall', '--yes', '--export', 'kept']);
  expect(code).toBe(0);
  expect(stdout).toContain('Everything listed was removed.\n');
  expect(existsSync(rootOf(space))).toBe(false);
  expect(existsSync(path.join(space.home, '.config/fish/completions/aca.fish'))).toBe(false);
  expect(await readFile(path.join(space.home, '.bashrc'), 'utf8')).toContain('aca completion bash');
  expect(existsSync(path.join(space.root, '.ai-assistant.json'))).toBe(true);
  const kept = (await readdir(path.join(space.root, 'kept'))).sort();
  expect(kept.map((name) => path.extname(name))).toEqual(['.json', '.md']);
  expect(await readFile(path.join(space.root, 'kept', kept[1] ?? ''), 'utf8')).toContain('say hello');
});

test(
  '[D01] parts that are to stay stay; a folder the user named keeps what is not of the program',
  soak,
  async () => {
    const space = await usedMachine();
    const shared = path.join(space.home, 'shared');
    await mkdir(path.join(shared, 'sessions'), { recursive: true });
    await writeFile(path.join(shared, 'thesis.txt'), 'mine');
    const env = { AI_ASSISTANT_HOME: shared };
    const { stdout } = await aca(space, ['uninstall', '--yes'], { env });
    expect(stdout).toContain(`${path.join(shared, 'thesis.txt')} does not belong to aca and will be kept.`);
    expect(await readdir(shared)).toEqual(['thesis.txt']);

    await aca(space, ['uninstall', '--yes', '--keep', 'sessions']);
    expect(await readdir(rootOf(space))).toEqual(['sessions']);
    const { code, stderr } = await aca(space, ['uninstall', '--yes', '--keep', 'sesions']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no sesions in')]);
  },
);

test('[D01] on a terminal it asks, and only a plain yes removes anything', soak, async () => {
  const space = await usedMachine();
  const refused = openTerminal(space, ['uninstall']);
  await refused.waitFor('Permanently remove all of this? [y/n]');
  refused.type('yse\r');
  expect(await refused.exitCode).toBe(0);
  expect(existsSync(rootOf(space))).toBe(true);
  const agreed = openTerminal(space, ['uninstall']);
  await agreed.waitFor('Permanently remove all of this? [y/n]');
  agreed.type('y\r');
  expect(await agreed.exitCode).toBe(0);
  expect(existsSync(rootOf(space))).toBe(false);
});
