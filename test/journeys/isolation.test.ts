import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { escapes } from '../support/escapes.ts';
import { published } from '../support/mcp.ts';
import { calls, hangs, says } from '../support/model-server/script.ts';
import { contentOf, gitIn } from '../support/repositories.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { soak } from '../support/soak.ts';
import { answersTo, asked, configure, start, task } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

async function repository(files: Record<string, string> = { 'a.txt': 'alpha\nbeta\ngamma\n' }) {
  const space = await workspace(files);
  const git = (...args: string[]) => gitIn(space.root, space.home, ...args);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('add', '-A');
  git('commit', '-q', '-m', 'one');
  return { space, git, worktrees: `${space.root}.worktrees` };
}

const apart = (description: string, prompt: string) => task(description, prompt, { isolation: 'worktree' });
const edit = (old_string: string, new_string: string, file_path = 'a.txt') =>
  ['Edit', { file_path, old_string, new_string }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

describe('[Y16] a subagent in a worktree', () => {
  test('works on a copy with what is not committed, and its changes are merged as edits', async () => {
    const { space, git, worktrees } = await repository();
    await writeFile(path.join(space.root, 'a.txt'), 'alpha\nbeta\nuncommitted\n');
    const { run, server } = await start(space, {
      go: [calls(apart('say ALPHA', 'WORK')), says('done')],
      WORK: [
        calls(read, ['Bash', { command: 'pwd; git status --short; git log --oneline; echo new > new.txt' }]),
        calls(edit('alpha', 'ALPHA')),
        async () => {
          // Meanwhile the user goes on with other lines.
          await writeFile(path.join(space.root, 'a.txt'), 'alpha\nbeta\nuncommitted\nmine\n');
          return says('I said ALPHA.');
        },
      ],
    });
    const { stdout, code } = await run(['-p', 'go', '--mode', 'accept-edits', '--allow', 'Bash']);

    expect([code, stdout]).toEqual([0, 'done\n']);
    expect(await space.tree()).toMatchObject({
      'a.txt': 'ALPHA\nbeta\nuncommitted\nmine\n',
      'new.txt': 'new\n',
    });
    const [answer = ''] = answersTo(server.requests.at(-1));
    expect(answer).toContain(`[Merged 2 files into ${space.root}: a.txt, new.txt.]`);
    const inside = answersTo(asked(server.requests, 'WORK')[1]).join('\n');
    expect(inside).toContain('uncommitted');
    expect(inside).toMatch(new RegExp(`${worktrees}/agent-\\S+/tree\n`));
    expect(existsSync(worktrees)).toBe(false);
    expect(git('branch', '--format=%(refname:short)')).toBe('main');
    expect(git('log', '--format=%s')).toBe('one');
  });

  test('can be undone as one', soak, async () => {
    const { space } = await repository();
    const { model, env } = await start(space, {
      go: [calls(apart('change', 'WORK')), says('All done.')],
      WORK: [
        calls(read, [
          'Bash',
          { command: 'ln -s a.txt link; echo x > run.sh; chmod +x run.sh; mkdir d; echo y > d/y' },
        ]),
        calls(edit('beta', 'BETA')),
        says('Changed.'),
      ],
    });
    const before = contentOf(space.root);
    const args = ['--plain', '--model', model, '--mode', 'accept-edits', '--allow', 'Bash', 'go'];
    const terminal = openTerminal(space, args, env);
    await terminal.waitFor('All done.');
    expect(contentOf(space.root)).toEqual({
      'a.txt': 'alpha\nBETA\ngamma\n',
      'd/y': 'y\n',
      link: 'link to a.txt',
      'run.sh': 'x x\n',
    });
    terminal.type('/undo\r');
    await terminal.waitFor('[y/n]');
    terminal.type('y\r');
    await expect.poll(() => contentOf(space.root), { timeout: 20_000 }).toEqual(before);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  test('the merge is asked about where edits are, with all changes in one question', soak, async () => {
    const { space, git } = await repository();
    const { model, env } = await start(space, {
      go: [calls(apart('change', 'WORK')), says('All done.')],
      WORK: [
        calls(read),
        calls(edit('beta', 'BETA'), ['Write', { file_path: 'b.txt', content: 'b\n' }]),
        says('Changed.'),
      ],
    });
    const terminal = openTerminal(space, ['--plain', '--model', model, 'go'], env);
    await terminal.waitFor('Allow: Merge the changes of general: change: a.txt, b.txt? [y/n] ');
    await terminal.waitFor('+BETA');
    expect(contentOf(space.root)).toEqual({ 'a.txt': 'alpha\nbeta\ngamma\n' });
    terminal.type('n\r');
    await terminal.waitFor('All done.');
    terminal.type('/quit\r');
    await terminal.exitCode;

    expect(contentOf(space.root)).toEqual({ 'a.txt': 'alpha\nbeta\ngamma\n' });
    const branch = git('branch', '--list', '--format=%(refname:short)', 'aca/*');
    expect(branch).toMatch(/^aca\/agent-/);
    expect(git('show', `${branch}:a.txt`)).toBe('alpha\nBETA\ngamma');
    expect(git('log', '-1', '--format=%s', branch)).toBe('change');
  });

  test('of two that change the same line, one is merged, and the other kept on a branch', soak, async () => {
    const { space, git, worktrees } = await repository();
    const { run, server } = await start(space, {
      go: [calls(apart('one', 'FIRST'), apart('two', 'SECOND')), says('done')],
      FIRST: [calls(read), calls(edit('beta', 'first')), says('1')],
      SECOND: [calls(read), calls(edit('beta', 'second')), says('2')],
    });
    await run(['-p', 'go', '--mode', 'accept-edits']);
    const text = await readFile(path.join(space.root, 'a.txt'), 'utf8');
    const [won, lost] = text.includes('first') ? ['first', 'second'] : ['second', 'first'];
    expect(text).toBe(`alpha\n${won}\ngamma\n`);
    const branch = git('branch', '--list', '--format=%(refname:short)', 'aca/*');
    expect(git('show', `${branch}:a.txt`)).toBe(`alpha\n${lost}\ngamma`);
    const answers = answersTo(server.requests.at(-1)).join('\n');
    expect(answers).toContain(
      `[Nothing was merged: conflicts in a.txt (it was changed in both places). Its changes are kept on the branch ${branch}; \`git cherry-pick ${branch}\` makes them.]`,
    );
    expect(existsSync(worktrees)).toBe(false);
  });

  test('a definition may ask for it, also in a folder without git', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha\nbeta\ngamma\n' });
    await mkdir(path.join(space.home, '.ai-assistant/agents'), { recursive: true });
    const definition = '---\nname: apart\ndescription: d\nisolation: worktree\n---\nWork apart.\n';
    await writeFile(path.join(space.home, '.ai-assistant/agents/apart.md'), definition);
    const { run, server } = await start(space, {
      go: [
        calls(task('one', 'WORK', { agent: 'apart' })),
        calls(task('two', 'AGAIN', { agent: 'apart' })),
        says('done'),
      ],
      WORK: [calls(read), calls(edit('beta', 'BETA')), says('ok')],
      AGAIN: [
        calls(read),
        calls(edit('BETA', 'theirs')),
        async () => {
          await writeFile(path.join(space.root, 'a.txt'), 'alpha\nours\ngamma\n');
          return says('ok');
        },
      ],
    });
    const { stderr } = await run(['-p', 'go', '--mode', 'accept-edits']);
    expect(stderr).not.toContain('not supported');
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\nours\ngamma\n' });
    const patch = /kept in (\S+\.patch);/.exec(answersTo(server.requests.at(-1)).join('\n'))?.[1] ?? '';
    expect(await readFile(patch, 'utf8')).toContain('+theirs');
  });

  test('interrupted, it keeps its worktree, and can be continued in it', soak, async () => {
    const { space, worktrees } = await repository();
    const { run, server } = await start(space, {
      go: [
        calls(apart('one', 'WORK')),
        (request) => {
          const id = /\[subagent (\w+): pass it/.exec(answersTo(request).join('\n'))?.[1];
          return calls(['Task', { description: 'one', prompt: 'CONTINUE', continue: id }]);
        },
        says('done'),
      ],
      WORK: [
        calls(read),
        calls(edit('beta', 'BETA')),
        hangs(),
        calls(read),
        calls(edit('gamma', 'GAMMA')),
        says('ok'),
      ],
    });
    let hung = false;
    await run(['-p', 'go', '--mode', 'accept-edits'], {
      onSpawn: (child) => {
        const waiting = setInterval(() => {
          hung ||= asked(server.requests, 'WORK').length === 3;
          if (hung) child.kill('SIGKILL');
          if (hung) clearInterval(waiting);
        }, 50);
      },
    });
    expect(contentOf(space.root)).toEqual({ 'a.txt': 'alpha\nbeta\ngamma\n' });
    const second = await run(['-p', 'more', '--continue', '--mode', 'accept-edits']);
    expect(second.stdout).toBe('done\n');
    expect(JSON.stringify(server.requests)).toContain(`Its changes so far are kept in ${worktrees}`);
    expect(contentOf(space.root)).toEqual({ 'a.txt': 'alpha\nBETA\nGAMMA\n' });
    expect(existsSync(worktrees)).toBe(false);
  });

  test('has no tools of servers and plugins, which write where they like', soak, async () => {
    const { space } = await repository();
    await configure(space, {
      mcpServers: { files: published('filesystem', space.root) },
      plugins: ['./note.mjs'],
    });
    await writeFile(
      path.join(space.home, '.ai-assistant', 'note.mjs'),
      `import { writeFileSync } from 'node:fs';
       const execute = () => writeFileSync('${space.root}/plugin.txt', '') ?? 'written';
       const parameters = { type: 'object', properties: {} };
       const tools = [{ name: 'put', description: 'x', parameters, requiresApproval: false, execute }];
       export default { name: 'note', version: '1.0.0', tools };\n`,
    );
    const write = { path: path.join(space.root, 'server.txt'), content: 'x' };
    const foreign: [string, object][] = [
      ['files__write_file', write],
      ['McpCall', { tool: 'files:write_file', arguments: write }],
      ['note__put', {}],
    ];
    const { run, server } = await start(space, {
      go: [calls(apart('write', 'WORK')), says('done')],
      WORK: [calls(...foreign), says('I tried.')],
      again: [calls(...foreign.slice(0, 1), ...foreign.slice(2)), says('done')],
    });
    const allowed = ['--mode', 'accept-edits', '--allow', 'mcp:files'];
    const offered = (prompt: string) => asked(server.requests, prompt)[0]?.tools;

    expect(await run(['-p', 'go', ...allowed])).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
    expect(answersTo(asked(server.requests, 'WORK')[1])).toEqual(
      foreign.map(([name]) => expect.stringContaining(`Unknown tool ${name}.`)),
    );
    expect(offered('WORK')?.filter((name) => !offered('go')?.includes(name))).toEqual([]);
    expect(offered('WORK')?.filter((name) => /files|note|Mcp/.test(name))).toEqual([]);
    expect(contentOf(space.root)).toEqual({ 'a.txt': 'alpha\nbeta\ngamma\n' });

    // The session itself has them.
    await run(['-p', 'again', ...allowed]);
    expect(Object.keys(contentOf(space.root))).toEqual(['a.txt', 'plugin.txt', 'server.txt']);
  });

  test('cannot write anywhere else, whatever it tries', soak, async () => {
    const { space, git, worktrees } = await repository({
      'a.txt': 'alpha\nbeta\n',
      '.env': 'TOKEN=canary-secret-1\n',
    });
    await writeFile(path.join(space.root, '.git/info/exclude'), '.env\n');
    const tried = escapes({ project: space.root, home: space.home }, 'one');
    const spy = { command: `cat '${space.root}/.env' .env; cat '${space.root}/.git/config'` };
    const { run, server } = await start(space, {
      go: [calls(apart('escape', 'WORK')), says('done')],
      WORK: [
        calls(...tried),
        calls(['Bash', spy], ['Write', { file_path: 'own.txt', content: 'mine\n' }]),
        says('I tried.'),
      ],
    });
    const before = contentOf(space.root, { git: true });
    const args = [
      '--mode',
      'accept-edits',
      '--allow',
      'Bash',
      '--allow',
      'Write',
      '--allow',
      'Edit',
      '--allow',
      'Task',
    ];
    await run(['-p', 'go', ...args]);

    expect(contentOf(space.root, { git: true })).toEqual({ ...before, 'own.txt': 'mine\n' });
    expect(Object.keys(contentOf(space.home)).filter((name) => !name.startsWith('.ai-assistant'))).toEqual(
      [],
    );
    expect(asked(server.requests, 'ESCAPE')).toEqual([]);
    expect(JSON.stringify(server.requests)).not.toContain('canary-secret-1');
    expect(existsSync('/tmp/one.txt')).toBe(false);
    expect(existsSync(worktrees)).toBe(false);
    expect(git('status', '--short')).toBe('?? own.txt');
  });
});
