import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const WORK = 'sk-ant-of-the-company-4321';

async function withWorkKey(): Promise<Workspace> {
  const space = await workspace();
  const { code } = await aca(space, ['keys', 'set', 'anthropic', '--name', 'work'], { stdin: WORK });
  expect(code).toBe(0);
  return space;
}

describe('[V05] named accounts', () => {
  test('--account uses the key of that name, and never another one', soak, async () => {
    const space = await withWorkKey();
    const server = await serve([says('usual'), says('work')]);
    const { model, env } = doors.anthropic(server.url);
    const run = (...flags: string[]) => aca(space, ['-p', 'go', '--model', model, ...flags], { env });

    expect(await run()).toMatchObject({ code: 0, stdout: 'usual\n' });
    expect(await run('--account', 'work')).toMatchObject({ code: 0, stdout: 'work\n' });
    expect(await run('--account', 'anthropic=home')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no account "home" for anthropic.'),
    });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${env.ANTHROPIC_API_KEY}`,
      `Bearer ${WORK}`,
    ]);
  });

  test('/account lists them, switches the running session, and remembers it', soak, async () => {
    const space = await withWorkKey();
    const { lab, server } = await openScreen(space, [says('First.'), says('Second.')]);
    lab.type('one\r');
    await lab.waitFor('First.');
    lab.type('/account\r');
    await lab.waitFor('* default  ANTHROPIC_API_KEY');
    lab.type('/account wrk\r');
    await lab.waitFor('There is no account "wrk" for anthropic. Did you mean work?');
    lab.type('/account work\r');
    await lab.waitFor('(account work)');
    lab.type('two\r');
    await lab.waitFor('Second.');
    expect(server.requests.map(({ headers }) => headers.authorization?.slice(-4))).toEqual(['test', '4321']);
    expect(server.requests[1]?.messages.map(({ text }) => text)).toEqual(['one', 'First.', 'two']);
    const settings = await readFile(path.join(space.home, '.ai-assistant/config.json'), 'utf8');
    expect(JSON.parse(settings)).toEqual({ accounts: { anthropic: 'work' } });
  });
});
