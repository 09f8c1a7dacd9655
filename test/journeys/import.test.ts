import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import type { HealthCheck } from '../../src/contract/command.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

/** As Claude Code writes its own. */
const CLAUDE = {
  $schema: 'https://json.schemastore.org/claude-code-settings.json',
  permissions: { allow: ['Bash(touch:*)'], deny: ['Read(./secret.txt)'] },
  hooks: {
    UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'touch "hooked-$GREETING"', timeout: 20 }] }],
  },
  env: { GREETING: 'hello' },
  model: 'haiku',
  spinnerTipsEnabled: false,
};
const CODEX = `model = "gpt-5-codex"
approval_policy = "on-request"

[mcp_servers.docs]
command = "definitely-not-installed"
args = ["--stdio"]

[tui]
notifications = true
`;

async function newcomer(projectFiles: Record<string, string> = {}): Promise<Workspace> {
  const space = await workspace({ 'secret.txt': 'hush', ...projectFiles });
  await write(path.join(space.home, '.claude/settings.json'), JSON.stringify(CLAUDE));
  return space;
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** One task that touches a file and reads what is denied. */
async function task(space: Workspace) {
  const server = await serve([
    calls(
      ['Bash', { command: 'touch made' }, { id: 'a' }],
      ['Read', { file_path: 'secret.txt' }, { id: 'b' }],
    ),
    says('done'),
  ]);
  const { env } = doors.anthropic(server.url);
  const { stdout, stderr } = await aca(space, ['-p', 'go', '--output-format', 'json'], { env });
  const report = JSON.parse(stdout) as Report;
  const body = server.requests[0]?.body as { model: string };
  return { report, stderr, model: body.model, files: Object.keys(await space.tree()) };
}

test(
  'personal settings of Claude Code only restrict until the user decides, and then work as written',
  soak,
  async () => {
    const space = await newcomer();
    const before = await task(space);
    expect(before.report.denials.map(({ tool, by }) => [tool, by])).toEqual([
      ['Bash', expect.any(String)],
      ['Read', 'rule deny Read(./secret.txt)'],
    ]);
    expect(before.files).toEqual(['secret.txt']);
    expect(before.model).not.toMatch(/haiku/);
    expect(before.stderr).toContain(
      'only what restricts applies until you decide; ignored: permissions.allow, hooks, env, model',
    );

    const { stdout } = await aca(space, ['import', 'use', 'claude']);
    expect(stdout).toBe('Your personal settings of Claude Code are used from the next start.\n');
    const after = await task(space);
    expect(after.report.denials.map(({ tool }) => tool)).toEqual(['Read']);
    expect(after.files).toEqual(['hooked-hello', 'made', 'secret.txt']);
    expect(after.model).toMatch(/haiku/);
    expect(after.stderr).not.toContain('aca import');
  },
);

test(
  '`aca import` shows what is used and what is not, copies it, and `aca doctor` lists it',
  soak,
  async () => {
    const space = await newcomer({
      '.claude/settings.json': JSON.stringify({
        spinnerTipsEnabled: false,
        permissions: { deny: ['Bash(rm:*)'] },
      }),
      'opencode.json': '{ "mcp": ',
      'CLAUDE.md': 'Be brief.',
    });
    await write(path.join(space.home, '.codex/config.toml'), CODEX);

    const { stdout: shown } = await aca(space, ['import']);
    expect(shown).toContain('  ~/.claude/settings.json: only what restricts is used until you decide\n');
    expect(shown).toContain(
      `  ${space.root}/.claude/settings.json: only what restricts is used until you trust this folder\n`,
    );
    expect(shown).toMatch(/ {4}works +permissions\.deny\n/);
    expect(shown).toMatch(/ {4}not supported +tui: Use the setting `theme`\.\n/);
    expect(shown).toMatch(/ {4}works +CLAUDE\.md/);
    expect(shown).toMatch(/! opencode\.json:1:\d+: this is not valid JSON/);
    expect(shown).toContain('aca import use claude codex');

    const doctor = await aca(space, ['doctor', '--json']);
    const { checks } = JSON.parse(doctor.stdout) as { checks: HealthCheck[] };
    const listed = checks.filter(({ name }) => name === 'other assistant').map(({ text }) => text);
    expect(listed).toEqual([
      expect.stringMatching(/^Claude Code: ~\/\.claude\/settings\.json, .*CLAUDE\.md/),
      expect.stringMatching(/^Codex CLI: ~\/\.codex\/config\.toml; .*not supported: tui$/),
      expect.stringMatching(/^opencode: .*opencode\.json/),
    ]);

    const { stdout: copied } = await aca(space, ['import', 'copy', 'codex']);
    expect(copied).toContain('Copied model, mode, mcpServers to ');
    const config: unknown = JSON.parse(
      await readFile(path.join(space.home, '.ai-assistant/config.json'), 'utf8'),
    );
    expect(config).toEqual({
      model: 'openai/gpt-5-codex',
      mode: 'accept-edits',
      mcpServers: { docs: { command: 'definitely-not-installed', args: ['--stdio'] } },
      otherAssistants: { codex: 'no-settings' },
    });
    await aca(space, ['import', 'copy', '--project', 'claude']);
    const project: unknown = JSON.parse(await readFile(path.join(space.root, '.ai-assistant.json'), 'utf8'));
    expect(project).toEqual({ permissions: { deny: ['Bash(rm:*)'] } });
  },
);

test('a terminal asks once about personal settings, and /import changes the answer', soak, async () => {
  const space = await newcomer();
  const server = await serve([]);
  const { env } = doors.anthropic(server.url);
  const first = openTerminal(space, ['--plain'], env);
  await first.waitFor('Found your Claude Code settings. Use them? [y/n] ');
  expect(first.screen().replaceAll('\n', '')).toContain(
    '.claude/settings.json: permissions.allow, hooks, env, model',
  );
  first.type('y\r');
  await first.waitFor('/help for commands');
  await first.waitFor('haiku');
  first.type('/import\r');
  await first.waitFor('~/.claude/settings.json: ');
  first.type('/import ignore claude\r');
  await first.waitFor('are ignored from the next start.');
  first.type('/quit\r');
  expect(await first.exitCode).toBe(0);

  const second = openTerminal(space, ['--plain'], env);
  await second.waitFor('/help for commands');
  expect(second.screen()).not.toMatch(/Use them|haiku/);
  second.type('/quit\r');
  expect(await second.exitCode).toBe(0);
});

test('a model of another assistant without a key gives way to one with a key', soak, async () => {
  const space = await newcomer();
  await write(path.join(space.home, '.claude/settings.json'), '{}');
  await write(path.join(space.home, '.codex/config.toml'), 'model = "gpt-5-codex"\n');
  await write(
    path.join(space.home, '.ai-assistant/config.json'),
    JSON.stringify({ otherAssistants: { codex: 'use' } }),
  );
  const server = await serve([says('done')]);
  const { env } = doors.anthropic(server.url);
  const { code, stdout, stderr } = await aca(space, ['-p', 'go'], { env });
  expect([code, stdout]).toEqual([0, 'done\n']);
  expect(stderr).toContain('config.toml: the model openai/gpt-5-codex is not used. No API key for openai.');
});
