import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { published } from '../support/mcp.ts';
import { type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model], { env, ...options });
  const sent = () => server.requests.map(({ messages }) => messages.at(-1)?.text);
  return { server, run, sent };
}

describe('slash commands with -p', () => {
  test('built-in ones print their result, and send nothing', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, []);
    const help = await run(['-p', '/help']);
    expect({ ...help, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(help.stdout).toMatch(/^ {2}\/compact /m);
    expect(help.stdout).not.toContain('/clear');
    const cost = await run(['-p', '/cost', '--output-format', 'json']);
    const report = JSON.parse(cost.stdout) as Report;
    expect(report).toMatchObject({
      type: 'result',
      stopReason: 'done',
      turns: 0,
      model: 'claude-sonnet-4-20250514',
    });
    expect(report.result).not.toBe('');
    expect(report.sessionId).not.toBe('');
    expect(server.requests).toEqual([]);
  });

  test('those that work with the model do', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    execFileSync('git', ['init', '-q'], { cwd: space.root });
    execFileSync('git', ['add', '.'], { cwd: space.root });
    const { run, sent } = await start(space, [says('Wrote it.'), says('Looks good.')]);
    expect(await run(['-p', '/init keep it short'])).toEqual({ code: 0, stdout: 'Wrote it.\n', stderr: '' });
    const review = await run(['-p', '/review staged']);
    expect(review.stdout).toMatch(/^Review of .*\n\nLooks good\.\n$/);
    expect(sent()[0]).toContain('The user adds: keep it short');
    expect(sent()[1]).toContain('+one');
  });

  test('prompts of an MCP server, by either name', soak, async () => {
    const space = await workspace();
    const { run, sent } = await start(space, [says('one'), says('two')]);
    const config = JSON.stringify({ mcpServers: { every: published('everything') } });
    const servers = ['--mcp-config', config];
    expect((await run(['-p', '/every:simple-prompt', ...servers])).stdout).toBe('one\n');
    expect((await run(['-p', '/mcp__every__simple-prompt', ...servers])).stdout).toBe('two\n');
    expect(sent()).toEqual([
      'This is a simple prompt without arguments.',
      'This is a simple prompt without arguments.',
    ]);
    const asked = await run(['-p', '/every:args-prompt', ...servers]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('/every:args-prompt asks "city');
  });

  test('skills, and what restricts a command', soak, async () => {
    const space = await workspace();
    const folder = path.join(space.home, '.ai-assistant/skills/greet');
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, 'SKILL.md'),
      '---\nname: greet\ndescription: Greet\n---\nGreet $ARGUMENTS.\n',
    );
    const { run, sent } = await start(space, [says('Hello.')]);
    expect((await run(['-p', '/greet Ada'])).stdout).toBe('Hello.\n');
    expect(sent()[0]).toContain('Greet Ada.');
  });

  sweep(
    [
      ['/clear', '/clear needs a terminal.'],
      ['/nonsense', 'There is no command /nonsense.'],
      ['/hlep me', 'There is no command /hlep. Did you mean /help?'],
      ['/model opus', '/model needs a terminal.'],
      ['/commit', '/commit needs a terminal.'],
      ['/server:prompt', 'There is no command /server:prompt.'],
    ],
    2,
  )('%s is wrong usage and costs nothing', async (line, words) => {
    const space = await workspace();
    const { run, server } = await start(space, []);
    const { code, stdout, stderr } = await run(['-p', line]);
    expect({ code, stdout, requests: server.requests }).toEqual({ code: 2, stdout: '', requests: [] });
    expect(stderr.split('\n')[0]).toBe(words);
  });

  sweep(
    [
      ['/etc/hosts is what?'],
      ['/etc is large'],
      ['/api/v1/users returns 500'],
      ['// why is this here?'],
      ['look at /help'],
    ],
    2,
  )('%s is a prompt', async (line) => {
    const space = await workspace();
    const { run, sent } = await start(space, [says('ok')]);
    expect((await run(['-p', line])).stdout).toBe('ok\n');
    expect(sent()).toEqual([line]);
  });

  test('over standard input, a command that fails ends its own run only', soak, async () => {
    const space = await workspace();
    const { run, sent } = await start(space, [says('ok')]);
    const lines = ['/nonsense', '/help', 'hi'].map((text) => `${JSON.stringify({ type: 'user', text })}\n`);
    const { code, stdout } = await run(
      ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
      { stdin: lines.join('') },
    );
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Report)
      .filter(({ type }) => type === 'result');
    expect(results.map(({ stopReason, error }) => [stopReason, error?.message])).toEqual([
      ['error', 'There is no command /nonsense.'],
      ['done', undefined],
      ['done', undefined],
    ]);
    expect(results[1]?.result).toContain('/compact');
    expect({ code, sent: sent() }).toEqual({ code: 0, sent: ['hi'] });
  });
});
