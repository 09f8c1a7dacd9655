import { chmod, cp, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aca } from '../aca.ts';
import { type Hooks, writeHooks } from '../hooks.ts';
import { configure, published } from '../mcp.ts';
import { both, calls, cuts, fails, type Step, says } from '../model-server/script.ts';
import { ALLOWED, bash, play, write } from '../replay.ts';
import { AS, git, type Recorded } from './recording.ts';

const read = (file: string) => calls(['Read', { file_path: file }]);

export const adding = (additionalContext: string) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext } })}'`;

export const hooks: Hooks = {
  UserPromptSubmit: [{ command: 'sh "$HOME/note.sh"' }],
  PreToolUse: [
    { matcher: 'Write', command: 'grep -q secret.txt && { echo not secret.txt >&2; exit 2; }; exit 0' },
  ],
  PostToolUse: [{ matcher: 'Write', command: adding('formatted') }],
};

/** Headless sessions. */
export const runs: Record<string, Recorded> = {
  'names, modes and links of every kind': {
    files: { 'a b.txt': 'one\n', '-dash': 'x\n', 'é\n.txt': 'y\n', 'deep/er/run.sh': 'echo hi\n' },
    async record(space) {
      await chmod(path.join(space.root, 'deep/er/run.sh'), 0o751);
      await symlink('a b.txt', path.join(space.root, 'link'));
      await symlink('nowhere', path.join(space.root, 'dangling'));
      return play(
        space,
        [
          read('a b.txt'),
          write('a b.txt', 'two\n'),
          bash("chmod 700 -- -dash; rm 'é\n.txt'; mv link moved; ln -s deep folder; printf '\\377\\0' > bin"),
          bash('ls -l | cut -c1-10; cat moved; cat -- -dash; deep/er/run.sh; od -c bin'),
          write('sub/new/🙂.txt', 'three\n'),
          bash('find . | sort; mkfifo pipe; rm -r deep folder'),
          says('Done.'),
        ],
        ALLOWED,
      );
    },
  },
  'commands in the background': {
    record: (space) =>
      play(
        space,
        [
          calls([
            'Bash',
            {
              command: 'echo ready; touch up; while [ ! -e stop ]; do sleep 0.05; done; echo bye > bye.txt',
              run_in_background: true,
            },
          ]),
          calls(['BashOutput', { id: 'bg_1', wait_ms: 10_000 }]),
          bash(
            'while [ ! -e up ]; do sleep 0.05; done; touch stop; while [ ! -e bye.txt ]; do sleep 0.05; done; cat bye.txt',
          ),
          calls(['BashOutput', { id: 'bg_1', wait_ms: 10_000 }]),
          says('Done.'),
        ],
        ALLOWED,
      ),
  },
  'subagents side by side': {
    record(space) {
      const task = (name: string) => ({
        description: name,
        prompt: `task ${name}`,
        subagent_type: 'general',
      });
      const reply: Step = ({ messages }) => {
        const first = messages.find(({ role }) => role === 'user')?.text ?? '';
        const name = /task (\w)/.exec(first)?.[1];
        const said = messages.filter(({ role }) => role === 'assistant').length;
        if (name === undefined)
          return said === 0 ? calls(['Task', task('x')], ['Task', task('y')]) : says('Done.');
        return (
          [read('a.txt'), write(`${name}.txt`, `${name}\n`), says(`${name} is done.`)][said] ?? says('?')
        );
      };
      return play(
        space,
        Array.from({ length: 8 }, () => reply),
        ALLOWED,
      );
    },
  },
  'a command': { record: (space) => play(space, [bash('cat a.txt'), bash('ls'), says('Done.')], ALLOWED) },
  'a plugin with a tool and a hook': {
    files: { 'a.ts': '// TODO one\n', 'generated/x.ts': 'x\n' },
    async record(space) {
      const plugin = path.join(space.home, 'plugin');
      await cp(path.resolve('examples/plugin'), plugin, { recursive: true });
      await configure(space, { plugins: [plugin] });
      return play(space, [
        calls(
          ['todo-count:count', { file: 'a.ts' }],
          ['Write', { file_path: 'generated/x.ts', content: 'y\n' }],
        ),
        write('b.ts', 'b\n'),
        says('Done.'),
      ]);
    },
  },
  'hooks that add, change and refuse': {
    async record(space) {
      await writeHooks(space, hooks);
      await writeFile(path.join(space.home, 'note.sh'), 'echo from the hook\n');
      return play(space, [write('b.txt', 'two\n'), write('secret.txt', 'no\n'), says('Done.')]);
    },
  },
  'a Stop hook that sends the model back': {
    async record(space) {
      await writeHooks(space, {
        Stop: [{ command: 'test -e fixed.txt || { sh "$HOME/note.sh" >&2; exit 2; }' }],
      });
      await writeFile(path.join(space.home, 'note.sh'), 'echo fixed.txt is missing\n');
      return play(space, [write('b.txt', 'two\n'), says('Done.'), write('fixed.txt', 'x\n'), says('Now.')]);
    },
    runs: 1,
  },
  'checks that find something new': {
    files: { 'a.txt': 'TODO old\n' },
    async record(space) {
      await writeFile(path.join(space.home, 'check.sh'), 'grep -rn TODO . && exit 1; exit 0\n');
      await configure(space, { checks: [{ command: 'sh "$HOME/check.sh"', files: ['*.txt'] }] });
      return play(space, [write('b.txt', 'TODO new\n'), says('Done.'), write('b.txt', 'b\n'), says('Now.')]);
    },
    runs: 1,
  },
  'a required check that failed once': {
    record: (space) =>
      play(
        space,
        [write('b.txt', 'two\n'), says('Done.'), write('fixed.txt', 'x\n'), says('Now.')],
        ['--check', 'echo checked >> log.txt; test -e fixed.txt'],
      ),
    runs: 2,
  },
  'calls of an MCP server': {
    async record(space) {
      await configure(space, { mcpServers: { all: published('everything') } });
      return play(
        space,
        [calls(['mcp__all__echo', { message: 'hi' }]), write('b.txt', 'two\n'), says('Done.')],
        ['--allow', 'mcp__all__echo'],
      );
    },
    fromJournal: ['it called an MCP server'],
  },
  'stopped by its budget': {
    record: (space) =>
      play(
        space,
        [{ ...write('b.txt', 'two\n'), usage: { inputTokens: 10_000, outputTokens: 4000 } }, says('never')],
        ['--budget', '$0.10'],
      ),
  },
  'stopped by its number of turns': {
    record: (space) =>
      play(space, [write('b.txt', 'two\n'), write('c.txt', 'three\n'), says('never')], ['--max-turns', '2']),
  },
  'failed calls, failed requests and replies that broke off': {
    record: (space) =>
      play(
        space,
        [
          fails(529),
          calls(['Edit', { file_path: 'a.txt', old_string: 'nowhere', new_string: 'x' }]),
          calls(['Nonsense', { x: 1 }]),
          calls(['Write', { file_path: 7 }]),
          calls(['Write', {}, { rawArguments: '{"file_path": "a.t' }]),
          bash('echo out; echo err >&2; exit 3'),
          cuts(says('Half of it'), { after: 'content' }),
          both('Then two.', ['Read', { file_path: 'a.txt' }], ['Read', { file_path: 'none.txt' }]),
          says('Done.'),
        ],
        ALLOWED,
      ),
  },
  'ended by a failure of the server': {
    record: (space) => play(space, [write('b.txt', 'two\n'), fails(400, { message: 'no' })]),
  },
  'git, with commits by the user before, between and after': {
    async record(space) {
      await git(space, 'init -q -b main && git add . && git commit -qm one');
      await git(space, 'tag before && echo staged > staged.txt && git add staged.txt && echo dirty >> a.txt');
      const id = await play(
        space,
        [
          bash('git status --short; git log --oneline | cat; git diff'),
          bash(`git add -A; git ${AS} commit -qm two; git branch --show-current; git status --short`),
          says('One.'),
        ],
        ALLOWED,
      );
      await git(space, 'checkout -qb side && git commit --allow-empty -qm three');
      await play(
        space,
        [bash('git status'), bash('git log --format=%s'), bash('git diff HEAD~1 --stat'), says('Two.')],
        ['--resume', id, ...ALLOWED],
      );
      await git(space, 'checkout -qb later && git commit --allow-empty -qm four && git branch -D side');
      return id;
    },
    runs: 2,
  },
  'branches and tags, made, moved and deleted': {
    async record(space) {
      await git(
        space,
        'init -q -b main && git add . && git commit -qm one && git tag old && git branch spare',
      );
      await git(space, 'pack-refs --all && git branch loose');
      const id = await play(
        space,
        [
          bash(`git branch topic; git tag v1; git ${AS} tag -a v2 -m two; git branch -D spare loose`),
          bash('git branch; git tag'),
          says('One.'),
        ],
        ALLOWED,
      );
      await git(space, 'branch -D topic && git branch by-user && git tag -d old');
      await play(
        space,
        [bash('git branch; git tag; git branch topic'), says('Two.')],
        ['--resume', id, ...ALLOWED],
      );
      return id;
    },
    runs: 2,
  },
  'what was found by age, edited and listed': {
    record: (space) =>
      play(
        space,
        [
          calls(['Glob', { pattern: '*.txt' }]),
          calls(['Grep', { pattern: '.' }]),
          write('a.txt', 'two\n'),
          bash('ls -la'),
          calls(['Glob', { pattern: '*.txt' }]),
          says('Done.'),
        ],
        ALLOWED,
      ),
  },
  'a repository that the session created': {
    async record(space) {
      const id = await play(
        space,
        [bash(`git init -q -b main; git add .; git ${AS} commit -qm one; git status`), says('One.')],
        ALLOWED,
      );
      return play(
        space,
        [bash('git log --format=%s; git status --short'), says('Two.')],
        ['--resume', id, ...ALLOWED],
      );
    },
    runs: 2,
  },
  'a folder inside a repository': {
    async record(space) {
      await git(space, 'init -q ..');
      return play(space, [bash('git status --short'), bash('ls'), says('Done.')], ALLOWED);
    },
    fromJournal: ['its repository is not in the folder'],
  },
  'a fork': {
    async record(space) {
      const id = await play(space, [write('b.txt', 'one\n'), says('One.')]);
      const copy = (await aca(space, ['sessions', 'fork', id])).stdout.trim();
      await play(space, [bash('cat b.txt; echo two > b.txt'), says('Two.')], ['--resume', copy, ...ALLOWED]);
      return copy;
    },
    runs: 1,
    notes: /4 messages came from another session/,
  },
  'long outputs that were kept': {
    record: (space) =>
      play(space, [bash('seq 1 50000'), bash('seq 1 50000 | tail -1'), says('Done.')], ALLOWED),
  },
  'undone, redone and edited in between': {
    async record(space) {
      const id = await play(space, [write('b.txt', 'one\n'), says('One.')]);
      await aca(space, ['undo', '--yes', '--session', id]);
      await play(space, [bash('ls'), says('Two.')], ['--resume', id, ...ALLOWED]);
      await writeFile(path.join(space.root, 'a.txt'), 'by hand\n');
      await play(
        space,
        [bash('cat a.txt; echo more >> a.txt'), says('Three.')],
        ['--resume', id, ...ALLOWED],
      );
      return id;
    },
    runs: 3,
  },
};
