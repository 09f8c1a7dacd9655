import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { configure, oddServer, published, waitForServer } from '../support/mcp.ts';
import { calls, says } from '../support/model-server/script.ts';
import { leftAfter, runningWith } from '../support/processes.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

/** A number of seconds to sleep that nobody else sleeps, by which a process can be found. */
const mark = () => String(100_000 + Math.floor(Math.random() * 800_000));

describe('[Q03] [Z08] servers are processes, and none is left', () => {
  test('fifty prompts share one process of each server; after the last one nothing runs', soak, async () => {
    const space = await workspace();
    const pids = path.join(space.home, 'pids');
    await configure(space, {
      mcpServers: { odd: oddServer('counts', pids), files: published('filesystem', space.root) },
    });
    const steps = Array.from({ length: 50 }, () => [calls(['odd__say', { text: 'a' }]), says('ok')]).flat();
    const server = await serve(steps);
    const { model, env } = doors.anthropic(server.url);
    const lines = Array.from({ length: 50 }, (_, i) => JSON.stringify({ type: 'user', text: `prompt ${i}` }));
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--model', model];
    const { code } = await aca(space, [...args, '--allow', 'mcp:odd:*'], {
      env,
      stdin: `${lines.join('\n')}\n`,
    });
    expect({ code, requests: server.requests.length, refusals: server.refusals }).toEqual({
      code: 0,
      requests: 100,
      refusals: [],
    });
    expect((await readFile(pids, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(await leftAfter(space.root, 2000)).toEqual([]);
    expect(await leftAfter(pids, 2000)).toEqual([]);
  });

  test(
    'after /quit nothing runs, not even what ignores the polite signal or left its group',
    soak,
    async () => {
      const space = await workspace();
      const seconds = mark();
      await configure(space, { mcpServers: { stubborn: oddServer('stubborn', seconds) } });
      const server = await serve([says('Hello.')]);
      const { model, env } = doors.anthropic(server.url);
      const terminal = openTerminal(space, ['--plain', '--model', model], env);
      await terminal.waitFor('/help for commands');
      await waitForServer(terminal, 'stubborn');
      terminal.type('hello\r');
      await terminal.waitFor('Hello.');
      await terminal.waitFor('1 tools, 0 resources, 0 prompts');
      expect(runningWith(seconds).length).toBeGreaterThanOrEqual(2);
      terminal.type('/quit\r');
      expect(await terminal.exitCode).toBe(0);
      expect(await leftAfter(seconds, 2000)).toEqual([]);
    },
  );

  test('after kill -9 of the assistant nothing runs', soak, async () => {
    const space = await workspace();
    const seconds = mark();
    await configure(space, {
      mcpServers: { stubborn: oddServer('stubborn', seconds), files: published('filesystem', space.root) },
    });
    const server = await serve([calls(['Bash', { command: 'sleep 60' }]), says('never')]);
    const { model, env } = doors.anthropic(server.url);
    let seen = 0;
    const { code } = await aca(
      space,
      ['-p', 'go', '--model', model, '--allow', 'Bash', '--output-format', 'stream-json'],
      {
        env,
        onSpawn: (child) => {
          child.stdout?.on('data', async (text: string) => {
            if (!text.includes('"tool_start"') || seen > 0) return;
            seen = runningWith(seconds).length;
            await sleep(100);
            child.kill('SIGKILL');
          });
        },
      },
    );
    expect(code).toBe(null);
    expect(seen).toBeGreaterThanOrEqual(2);
    expect(await leftAfter(seconds, 15_000)).toEqual([]);
    expect(await leftAfter(space.root, 15_000)).toEqual([]);
  });

  test('a server that hangs does not delay the prompt of a conversation', async () => {
    const space = await workspace();
    await configure(space, { mcpServers: { slow: oddServer('hangs') } });
    const server = await serve([says('Hello.')]);
    const { model, env } = doors.anthropic(server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('/help for commands');
    terminal.type('/mcp\r');
    await terminal.waitFor('slow  starting');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });
});
