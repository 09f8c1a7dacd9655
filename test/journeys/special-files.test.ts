import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { makePipe } from '../support/tool-context.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Whoever waits for a pipe waits for ever: long after this, also on a busy machine. */
const PATIENCE_MS = 60_000;

function pipeAt(folder: string, name: string): void {
  const file = path.join(folder, name);
  rmSync(file, { force: true, recursive: true });
  mkdirSync(path.dirname(file), { recursive: true });
  makePipe(file);
}

async function run(space: Workspace, args: string[], env: Record<string, string> = {}) {
  let timer: NodeJS.Timeout | undefined;
  let hung = false;
  const outcome = await aca(space, args, {
    env,
    onSpawn: (child) => {
      timer = setTimeout(() => {
        hung = true;
        child.kill('SIGKILL');
      }, PATIENCE_MS);
    },
  });
  clearTimeout(timer);
  return { ...outcome, hung };
}

const inProject = [
  'AGENTS.md',
  'CLAUDE.md',
  '.ai-assistant/instructions.md',
  '.ai-assistant/commands/go.md',
  '.ai-assistant/skills/go/SKILL.md',
  '.ai-assistant/agents/go.md',
  '.claude/commands/go.md',
  '.git/HEAD',
  '.git/config',
  '.git/commondir',
  '.gitmodules',
  '.env',
  '.npmrc',
  'package.json',
];

const inDataRoot = [
  'AGENTS.md',
  'agents/go.md',
  'commands/go.md',
  'skills/go/SKILL.md',
  'sessions/0f000000-0000-4000-8000-000000000000.jsonl',
  'sessions/index.jsonl',
  'cache/looks.json',
  'cache/update.json',
  'cache/sandbox-probe',
  'history.jsonl',
  'logs/aca.jsonl',
  'mcp/seen-tools.json',
];

describe.skipIf(process.platform === 'win32')('pipes where files are expected', () => {
  test('a run goes through: nothing waits for a pipe, and tools refuse it at once', soak, async () => {
    const space = await workspace({ 'a.txt': 'hello\n' });
    for (const name of inProject) pipeAt(space.root, name);
    for (const name of inDataRoot) pipeAt(path.join(space.home, '.ai-assistant'), name);
    for (const name of ['p', 'p.png', 'p.pdf', 'p.ipynb']) pipeAt(space.root, name);
    const server = await serve([
      calls(
        ['Read', { file_path: 'p' }],
        ['Read', { file_path: 'p.png' }],
        ['Read', { file_path: 'p.pdf' }],
        ['Read', { file_path: 'p.ipynb' }],
        ['Edit', { file_path: 'p', old_string: 'a', new_string: 'b' }],
        ['Write', { file_path: 'p', content: 'a' }],
        ['Grep', { pattern: 'a', path: 'p' }],
        ['Grep', { pattern: 'hello' }],
        ['Glob', { pattern: '*' }],
        ['List', {}],
        ['Search', { query: 'hello' }],
        ['Read', { file_path: 'a.txt' }],
      ),
      calls(['Bash', { command: 'cat a.txt' }]),
      says('done'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const { code, hung, stdout, stderr } = await run(
      space,
      ['-p', 'look at @p and @p.png', '--model', model, '--mode', 'accept-edits'],
      env,
    );
    expect({ code, hung, stdout, stderr }).toMatchObject({ code: 0, hung: false, stdout: 'done\n' });
    const results = server.requests.at(-1)?.messages.flatMap(({ results }) => results) ?? [];
    expect(results.slice(0, 7).map(({ text }) => /pipe, (a )?socket or (a )?device/.test(text))).toEqual(
      Array(7).fill(true),
    );
    expect(results.slice(7).map(({ text }) => /hello|a\.txt/.test(text))).toEqual(Array(6).fill(true));
  });

  test('instructions that are a pipe are named', soak, async () => {
    const space = await workspace({});
    pipeAt(space.root, 'AGENTS.md');
    const server = await serve([says('done')]);
    const { model, env } = doors.anthropic(server.url);
    const { code, stderr } = await run(space, ['-p', 'go', '--model', model], env);
    expect(code).toBe(0);
    expect(stderr).toContain('AGENTS.md: it is a pipe, a socket or a device.');
  });

  sweep<[string, (space: Workspace) => string]>([
    ['.ai-assistant.json', (space) => space.root],
    ['.mcp.json', (space) => space.root],
    ['config.json', (space) => path.join(space.home, '.ai-assistant')],
  ])('settings that are a pipe, %s, are an error that says so', async (name, folder) => {
    const space = await workspace({});
    pipeAt(folder(space), name);
    const { code, hung, stderr } = await run(space, ['-p', 'go', '--model', 'anthropic/claude-sonnet-4-5']);
    expect({ code, hung }).toEqual({ code: 2, hung: false });
    expect(stderr).toContain(`${name} is not a configuration file.`);
  });

  sweep([
    ['sessions', 'list'],
    ['sessions', 'search', 'hello'],
    ['audit'],
    ['stats'],
    ['doctor'],
    ['memory', 'list'],
    ['mcp', 'list'],
    ['keys', 'list'],
    ['models', 'list'],
    ['config', 'list'],
    ['trust', 'list'],
    ['undo', '--list'],
  ])('aca %s %s comes to an end', async (...words) => {
    const space = await workspace({});
    const root = path.join(space.home, '.ai-assistant');
    const today = new Date().toISOString().slice(0, 10);
    const files = [
      'credentials.json',
      'audit.jsonl',
      `ledger/${today}.jsonl`,
      'memory/user.md',
      'firewall.key',
    ];
    for (const name of [...inDataRoot, ...files]) pipeAt(root, name);
    for (const name of inProject) pipeAt(space.root, name);
    const { hung, code, stderr } = await run(space, words);
    expect({ hung, crashed: /This is a bug/.test(stderr), ended: code !== null, stderr }).toMatchObject({
      hung: false,
      crashed: false,
      ended: true,
    });
  });
});
