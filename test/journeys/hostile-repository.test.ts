import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../src/cli/report.ts';
import { aca, doors } from '../support/aca.ts';
import { type CallWords, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

/** A repository whose settings name programs that git would run for those who only look. */
async function hostile() {
  const space = await workspace({ 'a.txt': 'one\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: space.root });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  const trap = path.join(space.root, '.git', 'trap.sh');
  const canary = path.join(space.root, 'canary');
  await writeFile(trap, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'gpg.program', 'core.editor'])
    git('config', key, trap);
  git('config', 'log.showSignature', 'true');
  await writeFile(path.join(space.root, 'a.txt'), 'two\n');
  return { space, canary, git };
}

const LOOKS = ['git status', 'git log -1', 'git diff', 'git show HEAD', 'git branch'];

test.each(['auto', 'off'])(
  '[Y06] a hostile repository is asked about; trusted, git still runs none of the programs it names, sandbox %s',
  async (kind) => {
    const { space, canary, git } = await hostile();
    // The trap works: without care a mere status springs it.
    git('status', '--short');
    expect(existsSync(canary)).toBe(true);
    await rm(canary);

    const root = path.join(space.home, '.ai-assistant');
    await mkdir(root, { recursive: true });
    await writeFile(path.join(root, 'config.json'), JSON.stringify({ sandbox: { kind } }));
    const looks = calls(...LOOKS.map((command): CallWords => ['Bash', { command }]));
    const server = await serve([looks, says('asked'), looks, says('done')]);
    const { model, env } = doors.anthropic(server.url);
    const args = ['-p', 'look', '--model', model, '--output-format', 'json'];
    const untrusted = await aca(space, args, { env });
    expect((JSON.parse(untrusted.stdout) as Report).denials.length).toBe(LOOKS.length);
    expect(existsSync(canary)).toBe(false);

    const { code, stdout } = await aca(space, [...args, '--trust'], { env });
    const { commands, denials } = JSON.parse(stdout) as Report;
    expect({ code, denials }).toEqual({ code: 0, denials: [] });
    expect(commands.map(({ exitCode }) => exitCode)).toEqual(LOOKS.map(() => 0));
    expect(existsSync(canary)).toBe(false);
  },
);
