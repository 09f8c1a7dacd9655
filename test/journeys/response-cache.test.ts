import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UsageStats } from '../../src/observability/usage-stats.ts';
import { aca, doors } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { says } from '../support/model-server/script.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { configure } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const MODEL = 'openai-chat/gpt-4-turbo';

const drafting = () => serve([says('a: say gamma')], { loop: true });

/** A repository with a change that is staged. */
async function stagedChange(): Promise<Workspace> {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const env = { PATH: process.env.PATH ?? '', HOME: space.home };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: space.root, env });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first: begin');
  await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
  git('add', '-A');
  return space;
}

/** Asks for a commit message this many times in one conversation, and declines each. */
async function askForMessages(space: Workspace, server: ModelServer, { model = MODEL, times = 1 } = {}) {
  const { env } = doors['openai-chat'](server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model], env);
  await terminal.waitFor('/help for commands');
  for (let i = 1; i <= times; i++) {
    terminal.type('/commit\r');
    await terminal.waitFor('Commit with this message?', i);
    terminal.type('n\r');
    await terminal.waitFor('Nothing was committed.', i);
  }
  terminal.type('/stats\r');
  await terminal.waitFor('Tokens');
  await terminal.waitFor('\n> ', times + 2);
  const screen = terminal.screen();
  terminal.type('/quit\r');
  expect(await terminal.exitCode).toBe(0);
  const { stdout } = await aca(space, ['stats', '--json']);
  const { caches, requests } = JSON.parse(stdout) as UsageStats;
  return { screen, counted: { caches, calls: requests.calls } };
}

describe('[H03] a helper request that is made twice', () => {
  sweep([
    ['at temperature 0', MODEL, 0],
    ['of a model that takes no temperature', 'openai-chat/gpt-5', undefined],
  ])('%s is answered from the cache, and the counters show it', async (_what, model, temperature) => {
    const server = await drafting();
    const { screen, counted } = await askForMessages(await stagedChange(), server, { model, times: 3 });
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([temperature]);
    expect(screen.split('a: say gamma').length - 1).toBe(3);
    expect(screen).toMatch(/^Session 0 runs.*^llm +\S+ +66% of 3$/ms);
    expect(counted).toEqual({ caches: [{ name: 'llm', hits: 2, misses: 1 }], calls: 1 });
  });

  test('is answered from the cache in another session, where replies are kept in files', soak, async () => {
    const space = await stagedChange();
    await configure(space, { cache: { files: true } });
    const server = await drafting();
    await askForMessages(space, server);
    const second = await askForMessages(space, server);
    expect(server.requests).toHaveLength(1);
    expect(second.screen).toMatch(/^Cost +\$0\.00$.*^llm +\S+ +100% of 1$/ms);
    expect(second.counted).toEqual({ caches: [{ name: 'llm', hits: 1, misses: 1 }], calls: 1 });
  });

  test('is sent again when replies are not to be kept', soak, async () => {
    const space = await stagedChange();
    await configure(space, { cache: { responses: 'off' } });
    const server = await drafting();
    const { counted } = await askForMessages(space, server, { times: 2 });
    expect(server.requests).toHaveLength(2);
    expect(counted).toEqual({ caches: [], calls: 2 });
  });

  test('/compact after /uncompact uses the summary that was written before', soak, async () => {
    const space = await workspace();
    const isSummary = ({ messages }: SeenRequest) => messages[0]?.text.startsWith('Below is the older part');
    const server = await serve(
      [(request) => says(isSummary(request) ? '[Completed: small talk]' : 'It goes on and on. '.repeat(200))],
      { loop: true },
    );
    const { model, env } = doors.anthropic(server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('/help for commands');
    for (let i = 1; i <= 9; i++) {
      terminal.type(`question ${i}\r`);
      await expect.poll(() => server.requests.length).toBe(i);
    }
    for (const times of [1, 2]) {
      terminal.type('/compact\r');
      await terminal.waitFor('Undo it with /uncompact.', times);
      terminal.type('/uncompact\r');
      await terminal.waitFor('Compaction undone', times);
    }
    expect(server.requests.filter(isSummary)).toHaveLength(1);
    terminal.type('/stats\r');
    await terminal.waitFor('50% of 2');
    expect(terminal.screen()).toMatch(/^llm +\S+ +50% of 2$/m);
  });
});
