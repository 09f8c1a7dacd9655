import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Files in the user's home folder. */
async function atHome({ home }: Workspace, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

type Block = { type: string; text?: string; source?: { data: string } };
type Body = { system?: unknown; messages: { role: string; content: string | Block[] }[] };

async function run(space: Workspace, prompt: string, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const outcome = await aca(space, ['-p', prompt, '--model', model, ...args], { env });
  const bodies = server.requests.map(({ body }) => body as Body);
  const textIn = (at: number) => {
    const content = bodies[at]?.messages[0]?.content ?? '';
    return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
  };
  return { ...outcome, bodies, textIn };
}

describe('commands, skills and subagents for other assistants', () => {
  const skill = (name: string, lines = '') =>
    `---\nname: ${name}\ndescription: About ${name}.\n${lines}---\nDo it with $ARGUMENTS[0].\n`;

  test(
    'those in the home folder work without a copy: every skill is a command, and each counts once',
    soak,
    async () => {
      const space = await workspace();
      await atHome(space, {
        '.claude/commands/team/fix.md': '---\ndescription: Fix\nhooks: x\n---\nFix $0, then $1.\n',
        '.claude/skills/hook-development/SKILL.md': skill('Hook Development'),
        '.claude/skills/hook-development/notes.md': 'Some notes.',
        '.agents/skills/pdf/SKILL.md': skill('pdf', 'license: MIT\n'),
        '.codex/prompts/draft.md': '---\ndescription: Draft\n---\nDraft $FILE.\n',
      });
      await symlink('../../.agents/skills/pdf', path.join(space.home, '.claude/skills/pdf'));
      const notes = path.join(space.home, '.claude/skills/hook-development/notes.md');
      const fixed = await run(space, '/fix one "two three"', [
        calls(['Read', { file_path: notes }]),
        says('ok'),
      ]);
      expect(fixed.textIn(0)).toBe('Fix one, then two three.');
      const system = JSON.stringify(fixed.bodies[0]?.system);
      expect(system).toContain('- hook-development: About Hook Development.\\n- pdf: About pdf.');
      expect(JSON.stringify(fixed.bodies[1]?.messages)).toContain('Some notes.');
      expect(fixed.stderr).toContain('team/fix.md: hooks: not supported for commands and ignored.');
      expect(fixed.stderr).not.toContain('Skipped the skill');

      const used = await run(space, '/hook-development it', [says('ok')]);
      expect(used.textIn(0)).toContain('Do it with it.');
      const drafted = await run(space, '/prompts:draft FILE="a b.ts"', [says('ok')]);
      expect(drafted.textIn(0)).toBe('Draft a b.ts.');
      const missing = await run(space, '/draft', [says('never')]);
      expect([missing.code, missing.bodies.length]).toEqual([2, 0]);
      expect(missing.stderr).toContain('/prompts:draft was not sent: FILE is missing.');
    },
  );

  test(
    'rules among the tools of a subagent restrict it, and a skill that forks runs as a subagent',
    soak,
    async () => {
      const space = await workspace();
      await atHome(space, {
        '.claude/agents/historian.md': '---\nname: historian\ntools: Bash(git *)\n---\nYou know git.\n',
        '.claude/skills/history/SKILL.md': skill('history', 'context: fork\nagent: historian\n'),
      });
      const { bodies, stdout, stderr, textIn } = await run(
        space,
        '/history main',
        [
          calls(
            ['Bash', { command: 'ls' }],
            ['Bash', { command: 'git --version' }],
            ['Read', { file_path: 'x' }],
          ),
          says('It began in 2026.'),
          says('In 2026.'),
        ],
        ['--allow', 'Bash'],
      );
      expect([stdout, stderr]).toEqual(['In 2026.\n', expect.not.stringContaining('historian.md')]);
      expect(textIn(0)).toContain('Do it with main.');
      const answers = JSON.stringify(bodies[1]?.messages);
      expect(answers).toContain('only Bash(git *) may be used here');
      expect(answers).toContain('git version');
      expect(textIn(2)).toContain('the subagent historian did its work and answered.');
      expect(textIn(2)).toContain('It began in 2026.');
    },
  );
});

test('instructions for other assistants reach the model: imported, for matching files, each once, or with a notice', async () => {
  const space = await workspace({
    'AGENTS.md': 'Use tabs.\n',
    'CLAUDE.md': '@AGENTS.md\n@docs/style.txt\n@docs/gone.md\n@~/secrets.md\n',
    'docs/style.txt': 'Short lines.\n',
    '.claude/rules/api.md': '---\npaths:\n  - "src/**/*.{ts,tsx}"\n---\nValidate input.\n',
    '.cursor/rules/style.mdc': '---\ndescription:\nglobs:\nalwaysApply: true\n---\nNo semicolons.\n',
    '.github/copilot-instructions.md': 'Be kind.\n',
    'src/a.ts': 'let a;\n',
  });
  await atHome(space, { '.claude/CLAUDE.md': 'Speak German.\n', 'secrets.md': 'never-sent' });
  const { bodies, stderr } = await run(space, 'go', [calls(['Read', { file_path: 'src/a.ts' }]), says('ok')]);
  const system = JSON.stringify(bodies[0]?.system);
  for (const text of ['Use tabs.', 'Short lines.', 'No semicolons.', 'Be kind.', 'Speak German.'])
    expect([text, system.split(text).length - 1]).toEqual([text, 1]);
  expect(system).not.toContain('Validate input.');
  expect(JSON.stringify(bodies[1]?.messages)).toContain('Validate input.');
  expect(JSON.stringify(bodies)).not.toContain('never-sent');
  expect(stderr).toContain('Skipped docs/gone.md, imported by ');
  expect(stderr).toMatch(/Skipped ~\/secrets\.md, imported by .*: it is outside .*; start with --add-dir /);
});

describe('files named in a prompt', () => {
  test('are attached with -p: a file, lines of one, a folder, an image; others are reported', async () => {
    const space = await workspace({
      'src/a.ts': 'one\ntwo\nthree\nfour\n',
      'my notes.md': 'Remember.\n',
      '.env': 'KEY=canary-value\n',
    });
    await writeFile(path.join(space.root, 'pic.png'), Buffer.from(PIXEL, 'base64'));
    await atHome(space, { 'private.md': 'never' });
    const prompt =
      'Compare @src/a.ts:2-3, @"my notes.md", @src and @pic.png. Not @none.ts, @.env, @~/private.md, @Injectable() or a@b.ts';
    const { bodies, stderr, textIn } = await run(space, prompt, [says('ok')]);
    const text = textIn(0);
    expect(text).toContain('<file path="src/a.ts" lines="2-3">\n2\ttwo\n3\tthree\n</file>');
    expect(text).toContain('<file path="my notes.md">\n1\tRemember.\n</file>');
    expect(text).toMatch(/<file path="src">\nsrc is a folder:\na\.ts\n<\/file>/);
    expect(text.endsWith(prompt)).toBe(true);
    expect(JSON.stringify(bodies[0])).toContain(PIXEL);
    expect(JSON.stringify(bodies)).not.toContain('canary-value');
    for (const said of [
      'none.ts was not attached: there is no such file.',
      '.env was not attached: ',
      '~/private.md was not attached: ',
    ])
      expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/Injectable|b\.ts/);
  });

  test('are attached to prompts in a conversation; one outside the folder is asked about', soak, async () => {
    const space = await workspace({ 'a.ts': 'let a;\n' });
    await atHome(space, { 'plan.md': 'Ship it.\n' });
    const server = await serve([says('I see.')]);
    const { model, env } = doors.anthropic(server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], env);
    await terminal.waitFor('/help for commands');
    terminal.type('Do @~/plan.md in @a.ts\r');
    await terminal.waitFor('Allow: Read');
    terminal.type('y\r');
    await terminal.waitFor('I see.');
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('<file path=\\"~/plan.md\\">\\n1\\tShip it.\\n</file>');
    expect(sent).toContain('<file path=\\"a.ts\\">\\n1\\tlet a;\\n</file>');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });
});
