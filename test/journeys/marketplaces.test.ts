import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { published } from '../support/mcp.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { freshFolder, type Workspace, workspace } from '../support/workspace.ts';

/** In two pieces: the plugin's files contain it, not this one. */
const ROOT = ['$', '{CLAUDE_PLUGIN_ROOT}'].join('');

const plugin: Record<string, unknown> = {
  '.claude-plugin/plugin.json': {
    name: 'tools',
    version: '1.0.0',
    description: 'Tools of a team',
    lspServers: {},
    mcpServers: { every: published('everything') },
  },
  'commands/fix.md': `---\ndescription: Fix it\n---\nFix $ARGUMENTS with ${ROOT}/guide.txt`,
  'agents/critic.md': '---\nname: critic\ndescription: Criticizes\n---\nYou are the critic of the team.',
  'skills/style/SKILL.md': '---\nname: style\ndescription: How the team writes\n---\nShort lines.',
  'hooks/hooks.json': {
    hooks: {
      PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command: `${ROOT}/hooks/check.sh` }] }],
      Telepathy: [],
    },
  },
  'hooks/check.sh': '#!/bin/sh\necho "checked by $CLAUDE_PLUGIN_ROOT" >&2\nexit 2\n',
  'guide.txt': 'the guide\n',
};

async function put(folder: string, files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    if (name.endsWith('.sh')) await chmod(file, 0o755);
  }
}

/** A folder with a marketplace that lists these plugins. */
async function marketplace(plugins: object[], files: Record<string, unknown> = {}): Promise<string> {
  const folder = await freshFolder('market-');
  await put(folder, {
    '.claude-plugin/marketplace.json': { name: 'acme', owner: { name: 'Acme' }, plugins },
    ...files,
  });
  return folder;
}

const under = (folder: string, files: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

async function withTools(space: Workspace): Promise<string> {
  const folder = await marketplace(
    [{ name: 'tools', source: './plugins/tools' }],
    under('plugins/tools', plugin),
  );
  expect(await aca(space, ['plugin', 'marketplace', 'add', folder])).toMatchObject({ code: 0, stderr: '' });
  return folder;
}

async function run(space: Workspace, prompt: string, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const allow = ['--allow', 'mcp__plugin_tools_every__get-sum', '--allow', 'Task'];
  const outcome = await aca(
    space,
    ['-p', prompt, '--model', model, '--output-format', 'stream-json', ...allow],
    { env },
  );
  const answers = parseStream(outcome.stdout).events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'tool'
      ? [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
  return { ...outcome, answers, requests: server.requests.map(({ body }) => JSON.stringify(body)) };
}

async function copyOf(space: Workspace, id: string): Promise<string> {
  const folder = path.join(space.home, '.ai-assistant/plugins/installed', id);
  const [hash = ''] = await readdir(folder);
  return path.join(folder, hash);
}

test(
  'a plugin is shown, trusted, and then brings commands, subagents, skills, hooks and servers',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    await withTools(space);
    const refused = await aca(space, ['plugin', 'install', 'tools@acme']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Pass --yes if you trust it.');
    expect((await aca(space, ['plugin', 'list'])).stdout).toContain('No plugins are installed.');

    const installed = await aca(space, ['plugin', 'install', 'tools@acme', '--yes']);
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    for (const shown of [
      'tools@acme 1.0.0\n  Tools of a team',
      '  commands: /tools:fix',
      '  subagents: tools:critic',
      '  skills: tools:style',
      '    PreToolUse (Read): $CLAUDE_PLUGIN_ROOT/hooks/check.sh',
      `    plugin_tools_every: ${process.execPath} `,
      '  note: hooks.Telepathy: Hooks are not run at this event.',
      '  note: lspServers: not supported, no effect.',
      'Installed tools@acme.',
    ])
      expect(installed.stdout).toContain(shown);

    const played = await run(space, '/tools:fix it all', [
      calls(
        ['Read', { file_path: 'a.txt' }],
        ['plugin_tools_every__get-sum', { a: 2, b: 40 }],
        ['Skill', { name: 'tools:style' }],
        ['Task', { agent: 'tools:critic', description: 'look', prompt: 'look' }],
      ),
      says('looked'),
      says('done'),
    ]);
    const root = await copyOf(space, 'tools@acme');
    expect(played.requests[0]).toContain(`Fix it all with ${root}/guide.txt`);
    expect(played.requests.some((body) => body.includes('You are the critic of the team.'))).toBe(true);
    expect(played.answers[0]).toBe(`It did not run: blocked by a hook: checked by ${root}`);
    expect(played.answers[1]).toContain('42');
    expect(played.answers[2]).toContain('Short lines.');
    expect(played.stderr).toContain('The plugin tools@acme: hooks.Telepathy');

    await aca(space, ['plugin', 'disable', 'tools']);
    const without = await run(space, 'go', [calls(['Read', { file_path: 'a.txt' }]), says('done')]);
    expect(without.answers).toEqual(['1\tone']);
  },
);

test(
  'what was changed on disk does not run until it is accepted; an update shows what changes and asks',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const folder = await withTools(space);
    await aca(space, ['plugin', 'install', 'tools', '--yes']);
    const root = await copyOf(space, 'tools@acme');
    await writeFile(path.join(root, 'hooks/check.sh'), '#!/bin/sh\nexit 0\n');
    const script = () => [calls(['Read', { file_path: 'a.txt' }]), says('done')];
    const changed = await run(space, 'go', script());
    expect(changed.answers).toEqual(['1\tone']);
    expect(changed.stderr).toContain(
      'The plugin tools@acme is not used: it was changed since you trusted it. Review and accept it with `aca plugin enable`.',
    );
    expect((await aca(space, ['plugin', 'list'])).stdout).toContain('changed, not used');
    expect((await aca(space, ['plugin', 'enable', 'tools'])).code).toBe(2);

    await put(path.join(folder, 'plugins/tools'), {
      'hooks/check.sh': '#!/bin/sh\necho "newer check" >&2\nexit 2\n',
      '.claude-plugin/plugin.json': { name: 'tools', version: '1.1.0' },
    });
    const terminal = openTerminal(space, ['plugin', 'update', 'tools']);
    await terminal.waitFor('Update tools@acme from 1.0.0 to 1.1.0 and trust what it runs? [y/n]');
    await terminal.waitFor('+echo "newer check" >&2');
    terminal.type('y\r');
    await terminal.waitFor('Updated tools@acme to 1.1.0.');
    expect(await terminal.exitCode).toBe(0);
    const updated = await run(space, 'go', script());
    expect(updated.answers).toEqual(['It did not run: blocked by a hook: newer check']);

    await aca(space, ['plugin', 'remove', 'tools']);
    expect((await run(space, 'go', script())).answers).toEqual(['1\tone']);
  },
);

test('repositories: owner/name, an exact commit, and a JavaScript plugin of ours', soak, async () => {
  const space = await workspace();
  const base = await freshFolder('git-');
  const work = path.join(base, 'work');
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd,
      encoding: 'utf8',
    }).trim();
  const bare = (name: string) => {
    git(work, 'add', '-A');
    git(work, 'commit', '-qm', 'x');
    git(base, 'clone', '-q', '--bare', work, path.join(base, name));
    return git(work, 'rev-parse', 'HEAD');
  };
  await mkdir(work);
  git(work, 'init', '-q', '-b', 'main');
  await put(work, {
    'package.json': { name: 'js', version: '3.0.0', type: 'module', main: 'index.js' },
    'index.js':
      "export default { name: 'js', version: '3.0.0', tools: [{ name: 'hello', description: 'x', parameters: { type: 'object' }, requiresApproval: false, execute: () => 'hello from js' }] };",
  });
  const sha = bare('acme/js.git');
  await put(work, {
    '.claude-plugin/marketplace.json': {
      name: 'acme',
      plugins: [
        { name: 'js', source: { source: 'github', repo: 'acme/js', sha } },
        { name: 'gone', source: { source: 'github', repo: 'acme/js', sha: '0'.repeat(40) } },
      ],
    },
  });
  bare('acme/market.git');
  await writeFile(
    path.join(space.home, '.gitconfig'),
    `[url "file://${base}/"]\n\tinsteadOf = https://github.com/\n`,
  );

  expect(await aca(space, ['plugin', 'marketplace', 'add', 'acme/market'])).toMatchObject({
    code: 0,
    stderr: '',
  });
  const installed = await aca(space, ['plugin', 'install', 'js@acme', '--yes']);
  expect(installed.stdout).toContain('JavaScript that runs inside aca with all your rights');
  const played = await run(space, 'go', [calls(['js__hello', {}]), says('done')]);
  expect(played.answers).toEqual(['hello from js']);
  const gone = await aca(space, ['plugin', 'install', 'gone@acme', '--yes']);
  expect(gone).toMatchObject({ code: 2 });
  expect(await readdir(path.join(space.home, '.ai-assistant/plugins'))).toEqual([
    'installed',
    'installed.json',
    'marketplaces',
  ]);
});

test('hostile marketplaces: nothing of them is installed', soak, async () => {
  const space = await workspace();
  const folder = await marketplace(
    [
      { name: 'link', source: './link' },
      { name: 'outside', source: '../../..' },
      { name: 'itself', source: './itself' },
      { name: '../up', source: './link' },
      { name: 'ext', source: { source: 'url', url: 'ext::touch' } },
    ],
    { 'link/commands/a.md': 'a' },
  );
  await symlink('/etc', path.join(folder, 'link/etc'));
  await symlink('/etc', path.join(folder, 'itself'));
  const added = await aca(space, ['plugin', 'marketplace', 'add', folder]);
  expect(added.stdout).toContain('Skipped a plugin: "../up" is no name.');
  const reasons = {
    link: 'etc is a link that leads out of it',
    outside: 'leads out of it',
    itself: 'leads out of its repository',
    ext: 'git addresses that start with ext:',
    '../up': 'is not a plugin',
  };
  for (const [name, because] of Object.entries(reasons)) {
    const { code, stderr } = await aca(space, ['plugin', 'install', `${name}@acme`, '--yes']);
    expect({ name, code, stderr }).toMatchObject({ name, code: 2, stderr: expect.stringContaining(because) });
  }
  for (const source of ['ext::sh', '--upload-pack=x', 'http://example.org/a.git'])
    expect((await aca(space, ['plugin', 'marketplace', 'add', '--', source])).code).toBe(2);
  const store = JSON.parse(
    await readFile(path.join(space.home, '.ai-assistant/plugins/installed.json'), 'utf8'),
  );
  expect(store.plugins).toEqual({});
});
