// @module-tag soak
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (prompt: string, ...more: string[]) =>
    aca(space, ['-p', prompt, '--model', model, '--allow', 'Bash(*)', ...more], {
      env: { ...env, AI_ASSISTANT_MEMORY: '1' },
    });
  return { server, run };
}

describe('[U06] what is learned', () => {
  test('a correction is proposed, added to AGENTS.md when applied, and taken back by an undo', async () => {
    const space = await workspace();
    const file = path.join(space.root, 'AGENTS.md');
    await writeFile(file, '# Rules\r\n\r\n- Be kind.\r\n');
    const { server, run } = await start(space, [says('Done.'), says('Yes.')]);
    await run('No, always use pnpm here. Fix it.');

    const next = await run('go on');
    expect(next.code).toBe(0);
    // It is only proposed.
    expect(
      server.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join(),
    ).not.toContain('pnpm');
    expect(await readFile(file, 'utf8')).not.toContain('pnpm');

    const shown = await run('/learned');
    expect(shown.stdout).toMatch(/1\. add to AGENTS\.md: Always use pnpm here\. \(you said so on 20/);
    expect((await run('/learned apply 1', '--continue')).stdout).toContain(
      'Added to AGENTS.md. Undo it with /undo.',
    );
    expect(await readFile(file, 'utf8')).toBe('# Rules\r\n\r\n- Be kind.\r\n- Always use pnpm here.\r\n');
    expect((await run('/learned')).stdout).toContain('No suggestions yet');

    expect((await aca(space, ['undo', '--yes'], {})).stdout).toContain('AGENTS.md');
    expect(await readFile(file, 'utf8')).toBe('# Rules\r\n\r\n- Be kind.\r\n');
  });

  test('a command that passed is told to the next session, until its program is gone', soak, async () => {
    const space = await workspace();
    await writeFile(path.join(space.root, 'Makefile'), 'test:\n\t@true\nlint:\n\t@false\n');
    const { server, run } = await start(space, [
      calls(['Bash', { command: 'make test' }]),
      calls(['Bash', { command: 'make lint' }]),
      says('Done.'),
      says('Hello.'),
    ]);
    await run('test it');
    await run('hello');
    const told =
      server.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join() ?? '';
    expect(told).toMatch(/- `make test` passed with exit code 0 \(project, 20\d\d-\d\d-\d\d\)/);
    expect(told).not.toContain('make lint');
    expect((await run('/learned')).stdout).toContain('`make test` passed with exit code 0 (20');
  });

  test('with memory off nothing is noted', soak, async () => {
    const space = await workspace();
    const server = await serve([says('Done.')]);
    const { model, env } = doors.anthropic(server.url);
    const off = { env: { ...env, AI_ASSISTANT_MEMORY: '0' } };
    await aca(space, ['-p', 'always use pnpm here', '--model', model], off);
    expect(existsSync(path.join(space.home, '.ai-assistant', 'memory'))).toBe(false);
  });
});
