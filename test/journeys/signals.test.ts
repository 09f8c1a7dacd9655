import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { openLab } from '../support/lab.ts';
import { configure } from '../support/mcp.ts';
import { calls, type Step, says, slowly } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

const slow = () => slowly(says('word '.repeat(400)), { betweenMs: 50 });
const user = (text: string) => `${JSON.stringify({ type: 'user', text })}\n`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The model behind a scripted server, and a way to send a signal once it has been asked so often. */
async function modelOf(script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors['openai-chat'](server.url);
  const asked = (times = 1) => vi.waitFor(() => expect(server.requests.length).toBe(times), 60_000);
  return { server, model, env, asked };
}

describe('after a signal nothing runs, and the exit code says which it was', () => {
  sweep(SIGNALS)('%s, headless with prompts that wait: %d', async (signal, code) => {
    const space = await workspace();
    const { server, model, env, asked } = await modelOf([slow(), says('two'), says('three')]);
    const outcome = await aca(
      space,
      ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--model', model],
      {
        env,
        // It stays open: the end must not wait for it.
        stdin: { open: true },
        onSpawn: (child) => {
          child.stdin?.write(user('one') + user('two') + user('three'));
          void asked().then(() => child.kill(signal));
        },
      },
    );
    expect({ code: outcome.code, requests: server.requests.length }).toEqual({ code, requests: 1 });
    const results = outcome.stdout.split('\n').filter((line) => line.startsWith('{"type":"result"'));
    const reasons = results.map((line) => (JSON.parse(line) as { stopReason: string }).stopReason);
    expect(new Set(reasons)).toEqual(new Set(['interrupted']));
  });

  sweep(SIGNALS)('%s, in plain lines with prompts typed ahead: %d', async (signal, code) => {
    const space = await workspace();
    const { server, model, env, asked } = await modelOf([slow(), says('two'), says('three')]);
    const lab = openLab(space, ['--plain', '--model', model], { env, whenDone: onTestFinished });
    await lab.waitFor('/help for commands');
    lab.type('one\r');
    await asked();
    lab.type('two\rthree\r');
    await lab.waitFor('three');
    process.kill(lab.pid, signal);
    expect({ code: await lab.exit, requests: server.requests.length }).toEqual({ code, requests: 1 });
  });

  sweep(SIGNALS)('%s, on the screen with a prompt that waits: %d', async (signal, code) => {
    const space = await workspace();
    const { server, model, env, asked } = await modelOf([slow(), says('two')]);
    const lab = openLab(space, ['--model', model], { env, whenDone: onTestFinished });
    await lab.waitFor('>');
    lab.type('one\r');
    await asked();
    lab.type('two\r');
    await lab.waitFor('two');
    process.kill(lab.pid, signal);
    expect({ code: await lab.exit, requests: server.requests.length }).toEqual({ code, requests: 1 });
  });

  sweep(SIGNALS)('%s, as an MCP server: %d', async (signal, code) => {
    const space = await workspace();
    const { file, args } = program(['mcp', 'serve']);
    const child = spawn(file, args, {
      cwd: space.root,
      env: cleanEnv(space),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const answered = new Promise((resolve) => child.stdout.once('data', resolve));
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await answered;
    child.kill(signal);
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(code);
  });
});

test(
  'SIGTERM while a command runs that ignores it: the command ends before the program does',
  soak,
  async () => {
    const space = await workspace();
    const command = "trap '' TERM INT HUP; touch begun; sleep 4; touch survived";
    const { server, model, env } = await modelOf([calls(['Bash', { command }]), says('never said')]);
    const outcome = await aca(space, ['-p', 'go', '--mode', 'auto', '--model', model], {
      env,
      onSpawn: (child) =>
        void vi
          .waitFor(() => expect(existsSync(path.join(space.root, 'begun'))).toBe(true), 60_000)
          .then(() => child.kill('SIGTERM')),
    });
    expect({ code: outcome.code, requests: server.requests.length }).toEqual({ code: 143, requests: 1 });
    await pause(5000);
    expect(existsSync(path.join(space.root, 'survived'))).toBe(false);
  },
);

test('SIGTERM asks no model for notes, though memory is on', async () => {
  const space = await workspace();
  await configure(space, { memory: { enabled: true } });
  const { server, model, env, asked } = await modelOf([says('first'), slow(), says('[]'), says('[]')]);
  const lab = openLab(space, ['--plain', '--model', model], {
    env: { ...env, AI_ASSISTANT_MEMORY: '1' },
    whenDone: onTestFinished,
  });
  await lab.waitFor('/help for commands');
  lab.type('remember that I like tabs\r');
  await lab.waitFor('first');
  lab.type('go\r');
  await asked(2);
  process.kill(lab.pid, 'SIGTERM');
  expect({ code: await lab.exit, requests: server.requests.length }).toEqual({ code: 143, requests: 2 });
});

test(
  'SIGTERM while the first run still waits for an MCP server that never starts: the program ends at once',
  soak,
  async () => {
    const space = await workspace();
    await configure(space, {
      mcpServers: { hung: { command: process.execPath, args: ['-e', 'setInterval(()=>{}, 1000)'] } },
    });
    const { server, model, env } = await modelOf([says('never said')]);
    let killed = 0;
    const outcome = await aca(space, ['-p', 'go', '--model', model, '--output-format', 'stream-json'], {
      env,
      onSpawn: (child) =>
        void child.stdout?.on('data', (text: string) => {
          if (killed > 0 || !text.includes('"run_start"')) return;
          killed = performance.now();
          child.kill('SIGTERM');
        }),
    });
    expect({ code: outcome.code, requests: server.requests.length }).toEqual({ code: 143, requests: 0 });
    // The server would be waited for 15 s.
    expect(performance.now() - killed).toBeLessThan(12_000);
  },
);
