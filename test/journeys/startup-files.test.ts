// @module-tag soak
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

const run = (command: string, more: object = {}) => calls(['Bash', { command, ...more }]);

async function headless(space: Workspace, steps: Step[], args: string[] = []) {
  const server = await serve(steps);
  const { model, env } = doors['openai-chat'](server.url);
  const line = ['-p', 'go', '--model', model, '--output-format', 'stream-json', ...args];
  const { code, stdout, stderr } = await aca(space, line, { env });
  const { events, report } = parseStream(stdout);
  const told = events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'tool'
      ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
  return { code, stderr, told, events, report };
}

const created = [
  '.husky/pre-commit',
  '.vscode/tasks.json',
  '.mcp.json',
  '.claude/settings.json',
  '.npmrc',
  '.envrc',
  '.gitattributes',
  '.ai-assistant.json',
  '.github/workflows/ci.yml',
  'AGENTS.md',
  'CLAUDE.md',
  'packages/a/.husky/pre-commit',
  'packages/a/.vscode/tasks.json',
  'packages/deep/er/and/deeper/AGENTS.md',
];

describe('files that other programs run', () => {
  test('made by a sandboxed command with nobody to ask: gone, kept, and the model knows', async () => {
    const script = created.map((file) => `mkdir -p $(dirname ${file}); echo evil > ${file}`).join('\n');
    const space = await workspace({ 'make.sh': `${script}\necho fine > ok.txt`, 'README.md': 'x' });
    const { told, report } = await headless(
      space,
      [run('bash make.sh'), says('done')],
      ['--allow', 'Bash(bash make.sh)'],
    );
    for (const file of created)
      expect([file, existsSync(path.join(space.root, file))]).toEqual([file, false]);
    expect(Object.keys(await space.tree()).sort()).toEqual(['README.md', 'make.sh', 'ok.txt']);
    for (const file of created) expect(told[0]).toContain(`- ${file} was removed`);
    expect(told[0]).toContain('not interactive');
    expect(report.denials).toMatchObject([{ tool: 'Write' }, { tool: 'Write' }]);
    const kept = /is in (\S*set-aside\/\S+)/.exec(told[0] ?? '')?.[1] ?? '';
    expect(await readFile(kept, 'utf8')).toBe('evil\n');
  });

  test('changed by one: the old content is back, also behind a link and after a move', async () => {
    const files = {
      'AGENTS.md': 'mine',
      '.github/workflows/ci.yml': 'on: push',
      'packages/a/.vscode/tasks.json': '{}',
      'guide.md': 'guide',
      'change.sh':
        'echo evil > AGENTS.md; echo evil >> .github/workflows/ci.yml; ' +
        'echo evil > x; mv x packages/a/.vscode/tasks.json; mkdir pay; echo evil > pay/tasks.json; ln -s pay .vscode; ' +
        'ln -s guide.md CLAUDE.md',
    };
    const space = await workspace(files);
    const { told } = await headless(
      space,
      [run('bash change.sh'), says('done')],
      ['--allow', 'Bash(bash change.sh)'],
    );
    expect(await space.tree()).toEqual({ ...files, 'pay/tasks.json': 'evil\n' });
    expect(told[0]).toContain('- AGENTS.md was restored');
  });

  test('too large to be put back: a command cannot change it, and the user learns it once', async () => {
    const large = `x\n${'#'.repeat(21 * 1024 * 1024)}`;
    const space = await workspace({
      'packages/a/AGENTS.md': large,
      'more.sh': 'echo evil >> packages/a/AGENTS.md',
    });
    const { told, stderr } = await headless(
      space,
      [run('bash more.sh'), run('bash more.sh'), says('done')],
      ['--allow', 'Bash(bash more.sh)'],
    );
    expect(told[0]).toContain('Read-only file system');
    expect(stderr.match(/Too large to be put back/g)).toHaveLength(1);
    expect(stderr).toContain('so commands cannot change them: packages/a/AGENTS.md.');
    expect((await readFile(path.join(space.root, 'packages/a/AGENTS.md'), 'utf8')).length).toBe(large.length);
  });

  test('a command that changes none is not held up, and says nothing', async () => {
    const space = await workspace({
      'AGENTS.md': 'mine',
      'a.sh': 'cat AGENTS.md > copy.md; touch AGENTS.md',
    });
    const { told, report } = await headless(
      space,
      [run('bash a.sh'), says('done')],
      ['--allow', 'Bash(bash a.sh)'],
    );
    expect(told).toEqual(['(no output)']);
    expect(report.denials).toEqual([]);
    expect(await readFile(path.join(space.root, 'AGENTS.md'), 'utf8')).toBe('mine');
  });

  test('a person is asked once for all of them, and a yes puts them in place as they were', async () => {
    const script =
      'mkdir .husky; echo "npm test" > .husky/pre-commit; chmod +x .husky/pre-commit; echo "* text" > .gitattributes';
    const space = await workspace({ 'init.sh': script });
    const server = await serve([run('bash init.sh'), says('all done')]);
    const { model, env } = doors['openai-chat'](server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model, '--allow', 'Bash(bash init.sh)'], env);
    await terminal.waitFor('> ');
    terminal.type('go\r');
    await terminal.waitFor("Keep the command's changes");
    await terminal.waitFor('.husky/pre-commit');
    expect(existsSync(path.join(space.root, '.husky'))).toBe(false);
    terminal.type('y\r');
    await terminal.waitFor('all done');
    expect(await space.tree()).toEqual({
      'init.sh': script,
      '.husky/pre-commit': 'npm test\n',
      '.gitattributes': '* text\n',
    });
    terminal.type('/quit\r');
    await terminal.exitCode;
  });

  test('a command in the background is looked after until it ends', async () => {
    const space = await workspace({
      'late.sh': 'sleep 1; mkdir -p .vscode; echo evil > .vscode/tasks.json; touch wrote; sleep 60',
    });
    const wait = 'for i in $(seq 100); do [ -e wrote ] && break; sleep 0.1; done; sleep 0.2';
    const { told } = await headless(
      space,
      [
        run('bash late.sh', { run_in_background: true }),
        run(wait),
        calls(['BashOutput', { shell_id: 'bg_1' }]),
        says('done'),
      ],
      ['--allow', 'Bash(bash late.sh)', '--allow', 'Bash'],
    );
    expect(told.join('\n')).toContain('- .vscode/tasks.json was removed');
    expect(await readdir(space.root)).not.toContain('.vscode');
  });
});
