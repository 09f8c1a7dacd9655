import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { UserError } from '../../contract/errors.ts';
import type { TaskDefaults } from './complete-task.ts';
import { parseCsv } from './csv.ts';
import { readTasks, type TaskInput, taskText } from './read-tasks.ts';
import { fillTemplate } from './template.ts';

const defaultsIn = (cwd: string, more: Partial<TaskDefaults> = {}): TaskDefaults => ({
  cwd,
  env: { PATH: process.env.PATH },
  ref: 'HEAD',
  source: { type: 'repository', path: cwd },
  models: [],
  mode: 'auto',
  allow: [],
  deny: [],
  checks: [],
  checkRetries: 2,
  labels: [],
  ...more,
});

function commitAll(root: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
  return git('rev-parse', 'HEAD');
}

async function read(text: string, more: Partial<TaskDefaults> & { name?: string } = {}) {
  const { root } = await workspace({
    'commands/fix.md': '---\ndescription: x\n---\nFix $1 in $ARGUMENTS.\n',
  });
  const commit = commitAll(root);
  const { name = 'tasks.jsonl', ...defaults } = more;
  const input: TaskInput = { type: 'file', name, text, folder: root };
  return { root, commit, tasks: await readTasks(input, defaultsIn(root, defaults)) };
}

const problemsOf = async (text: string, more: Parameters<typeof read>[1] = {}) => {
  const error = await read(text, more).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserError)) throw new Error(`No problem found, but ${String(error)}`);
  return error.message;
};

describe('a line of JSON', () => {
  test('takes what it lacks from the flags', async () => {
    const line = { prompt: 'do {{what}}', checks: ['test -f {{what}}'], variables: { what: 'a b', n: 3 } };
    const { tasks, root, commit } = await read(
      `\uFEFF# a comment\n\n${JSON.stringify(line)}\n{"prompt":"{{as it is}}"}\n`,
      {
        labels: ['x'],
        models: ['m/one'],
        budget: '$1',
      },
    );
    expect(tasks).toEqual([
      {
        id: '1',
        prompt: 'do a b',
        source: { type: 'repository', repository: root, ref: commit },
        model: 'm/one',
        mode: 'auto',
        allow: [],
        deny: [],
        budget: '$1',
        checks: ['test -f a\\ b'],
        checkRetries: 2,
        labels: ['x'],
        variables: { what: 'a b', n: '3' },
        textFrom: 'tasks.jsonl:3',
      },
      expect.objectContaining({ id: '2', prompt: '{{as it is}}', checks: [], variables: {} }),
    ]);
  });

  test('may name a command file, a folder, or a repository by path or URL', async () => {
    const { tasks, root, commit } = await read(
      [
        '{"command":"commands/fix.md","arguments":"a.ts now"}',
        '{"prompt":"x","folder":"commands"}',
        '{"prompt":"x","repository":"https://example.com/r.git","ref":"v1"}',
        '{"prompt":"x","repository":"git@example.com:r.git"}',
        '{"prompt":"x","repository":"commands","ref":"main"}',
      ].join('\n'),
    );
    expect(tasks.map(({ prompt, source }) => [prompt, source])).toEqual([
      ['Fix a.ts in a.ts now.', { type: 'repository', repository: root, ref: commit }],
      ['x', { type: 'folder', folder: path.join(root, 'commands') }],
      ['x', { type: 'repository', repository: 'https://example.com/r.git', ref: 'v1' }],
      ['x', { type: 'repository', repository: 'git@example.com:r.git', ref: 'HEAD' }],
      ['x', { type: 'repository', repository: path.join(root, 'commands'), ref: commit }],
    ]);
  });

  test('runs once with each model', async () => {
    const { tasks } = await read('{"id":"t","prompt":"x"}\n{"prompt":"y","model":"own"}', {
      models: ['a/b', 'c'],
    });
    expect(tasks.map(({ id, model }) => [id, model])).toEqual([
      ['t-1-a-b', 'a/b'],
      ['t-2-c', 'c'],
      ['2', 'own'],
    ]);
  });

  test.each([
    ['not json', 'is not a JSON object on one line'],
    ['[1]', 'is not a JSON object on one line'],
    ['{"prompt":"x"', 'is not a JSON object on one line'],
    ['{}', 'has no prompt and no command'],
    ['{"prompt":" "}', 'the prompt is empty'],
    ['{"promt":"x"}', 'unknown field "promt". Did you mean prompt?'],
    ['{"prompt":"x","mode":"yolo"}', 'mode must be one of default, accept-edits, plan, auto, read-only'],
    ['{"prompt":"x","budget":"lots"}', "budget: Use a limit such as '$5'"],
    ['{"prompt":"x","budget":"5"}', "budget: 5 what? Write '$5', '5k tokens' or '5 turns'."],
    ['{"prompt":"x","allow":["Bash(("]}', '"Bash((" is not a permission rule'],
    [
      '{"prompt":"x","deny":["Bsh(rm *)"]}',
      'the deny rule Bsh(rm *) names no known tool and denies nothing. Did you mean Bash(rm *)?',
    ],
    ['{"prompt":"x","checks":["a\\u0000b"]}', 'must not contain the character NUL'],
    ['{"prompt":"{{a}}","variables":{"a":"\\u0000"}}', 'must not contain the character NUL'],
    ['{"prompt":"x","id":"../x"}', 'id: use letters'],
    ['{"prompt":"x","checks":"npm test"}', 'checks must be a list ([ … ])'],
    ['{"prompt":""}', 'prompt must not be empty'],
    ['{"prompt":"x","variables":{"a":[]}}', 'variables.a must be text, a number, true or false'],
    ['{"prompt":"x","labels":[""]}', 'labels.0 must not be empty'],
    ['{"prompt":"x","labels":["a,b"]}', 'labels.0: must have no comma'],
    ['{"prompt":"x","labels":[" a"]}', 'labels.0: must have no comma, and no space around it'],
    ['{"prompt":"x","checkRetries":-1}', 'checkRetries must be at least 0'],
    ['{"prompt":"x","timeout":0}', 'timeout must be above 0'],
    ['{"prompt":"x","folder":"commands","ref":"main"}', 'has a ref, but starts from a folder without git'],
    ['{"prompt":"x","command":"commands/fix.md"}', 'has both a prompt and a command'],
    ['{"prompt":"x","arguments":"y"}', 'has arguments, but no command'],
    ['{"command":"gone.md"}', 'gone.md cannot be read'],
    ['{"prompt":"x","repository":"a","folder":"b"}', 'names both a repository and a folder'],
    ['{"prompt":"x","repository":"gone"}', 'is not a folder'],
    ['{"prompt":"x","folder":"commands/fix.md"}', 'is not a folder'],
    ['{"prompt":"x","ref":"nope"}', 'has no commit nope'],
    ['{"prompt":"{{a}} {{b}}","variables":{"a":"1"}}', 'no value for {{b}}'],
    [
      '{"id":"A","prompt":"x"}\n{"id":"a","prompt":"y"}',
      'tasks.jsonl:2: the id a is already used by tasks.jsonl:1',
    ],
  ])('%s is named with its file and line', async (line, problem) => {
    const message = await problemsOf(`\n${line}`.slice(line.includes('\n') ? 1 : 0));
    expect(message).toContain(problem);
    expect(message).toMatch(/\n {2}tasks\.jsonl:2: /);
  });

  test('all wrong lines are named, up to a screenful', async () => {
    const message = await problemsOf('x\n'.repeat(30));
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toMatch(/^30 problems in the tasks:\n {2}tasks\.jsonl:1: .*and 10 more$/s);
  });
});

describe('a CSV file', () => {
  test('has fields and variables as columns', async () => {
    const text = 'file,why,model,labels,timeout\r\na.js,"old, ""very"" old\nfile",m,x; y,5\r\nb.js,,,,\r\n';
    const { tasks } = await read(text, { name: 't.csv', prompt: 'Fix {{file}}: {{why}}' });
    expect(tasks.map(({ prompt, model, labels, timeout }) => ({ prompt, model, labels, timeout }))).toEqual([
      { prompt: 'Fix a.js: old, "very" old\nfile', model: 'm', labels: ['x', 'y'], timeout: 5 },
      { prompt: 'Fix b.js: ', model: undefined, labels: [], timeout: undefined },
    ]);
  });

  test.each([
    ['a,b\n1,2\n1,2,3', 't.csv:3: has 3 cells, but the header names 2 columns'],
    ['a\nx\n"y\nz', 't.csv:3: a quoted cell does not end'],
    ['a\nx', 't.csv:2: no value for {{file}}'],
    ['file,timeout\nx,soon', 't.csv:2: timeout must be a number'],
    ['file,why,file\nx,y,z', 't.csv:1: there are two columns "file"'],
    ['file\n', 't.csv has no tasks'],
  ])('%j is named with its line', async (text, problem) => {
    expect(await problemsOf(text, { name: 't.csv', prompt: 'Fix {{file}}' })).toContain(problem);
  });

  test('what is written as CSV is read again, with the lines it starts in', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(rows, (written) => {
        const lines = written.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));
        const starts = lines.map(
          (_, i) => lines.slice(0, i).join('\n').split('\n').length + (i === 0 ? 0 : 1),
        );
        expect(parseCsv(lines.join('\n'))).toEqual(written.map((cells, i) => ({ line: starts[i], cells })));
      }),
    );
  });
});

test('--each takes the committed files that match, and no others', async () => {
  const { root } = await workspace({ 'src/a.js': '', 'src/in/b.js': '', 'src/c.ts': '', 'd.js': '' });
  commitAll(root);
  await writeFile(path.join(root, 'src/new.js'), '');
  const each = (cwd: string, glob: string, type: 'repository' | 'folder' = 'repository') =>
    readTasks(
      { type: 'each', glob },
      defaultsIn(cwd, {
        prompt: '{{file}} {{folder}} {{name}}{{extension}}',
        source: { type, path: cwd },
      }),
    );
  expect((await each(root, 'src/**/*.js')).map(({ id, prompt }) => [id, prompt])).toEqual([
    ['1-a', 'src/a.js src a.js'],
    ['2-b', 'src/in/b.js src/in b.js'],
  ]);
  // Relative to where the task will start.
  expect((await each(path.join(root, 'src'), '*.js')).map(({ prompt }) => prompt)).toEqual(['a.js . a.js']);
  await expect(each(root, '*.py')).rejects.toThrow('No file matches *.py.');

  const plain = await workspace({ 'a.js': '', 'node_modules/b.js': '' });
  await mkdir(path.join(plain.root, 'in'));
  expect((await each(plain.root, '**/*.js', 'folder')).map(({ prompt }) => prompt)).toEqual(['a.js . a.js']);
});

test('--each takes no submodules, and the files of a bare repository', async () => {
  const { root } = await workspace({ 'a.js': '' });
  const commit = commitAll(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('update-index', '--add', '--cacheinfo', `160000,${commit},module.js`);
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'module');
  git('clone', '-q', '--bare', '.', 'bare.git');
  for (const cwd of [root, path.join(root, 'bare.git')]) {
    const defaults = defaultsIn(cwd, { prompt: '{{file}}', ref: 'main' });
    const tasks = await readTasks({ type: 'each', glob: '*.js' }, defaults);
    expect(tasks.map(({ prompt }) => prompt)).toEqual(['a.js']);
  }
});

test('a folder without git, and a repository without commits, are named as such', async () => {
  const { root } = await workspace({ 'plain/a.txt': '' });
  const empty = path.join(root, 'empty');
  execFileSync('git', ['init', '-q', empty]);
  const input = (repository: string): TaskInput => ({
    ...{ type: 'file', name: 't.jsonl', folder: root },
    text: JSON.stringify({ prompt: 'x', repository }),
  });
  await expect(readTasks(input('plain'), defaultsIn(root))).rejects.toThrow(
    `t.jsonl:1: ${path.join(root, 'plain')} is not a git repository. Name it as a folder`,
  );
  await expect(readTasks(input('empty'), defaultsIn(root))).rejects.toThrow(
    `t.jsonl:1: ${empty} has no commits yet. Commit something first.`,
  );
  const plain: TaskDefaults = { ...defaultsIn(root), ref: 'main', source: { type: 'folder', path: root } };
  await expect(
    readTasks({ type: 'file', name: 't.jsonl', folder: root, text: '{"prompt":"x"}' }, plain),
  ).rejects.toThrow(`cannot start from main: ${root} is not a git repository`);
});

test('a task file that is not UTF-8 is named with its line', () => {
  expect(() => taskText('t.jsonl', Buffer.from('{"prompt":"é"}\n{"prompt":"\xe9"}\n', 'latin1'))).toThrow(
    't.jsonl:1 is not text in UTF-8.',
  );
  expect(() => taskText('t.jsonl', Buffer.concat([Buffer.from('é\n'), Buffer.from([0xe9, 0x0a])]))).toThrow(
    't.jsonl:2 is not text in UTF-8.',
  );
  expect(taskText('t.jsonl', Buffer.from('é\n'))).toBe('é\n');
});

test('values of a template are inserted as they are', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(fillTemplate('<{{ x }}|{{y}}>', { x: value })).toEqual({
        text: `<${value}|{{y}}>`,
        missing: ['y'],
      });
    }),
  );
});

test('a password in the URL of a repository is neither printed nor lost', async () => {
  const notes: string[] = [];
  const url = 'http://user:secretpw@127.0.0.1:1/x.git';
  const { tasks } = await read(JSON.stringify({ prompt: 'x', repository: url }), {
    onNote: (text) => notes.push(text),
  });
  expect(tasks[0]?.source).toEqual({ type: 'repository', repository: url, ref: 'HEAD' });
  expect(notes).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/x\.git could not be fetched: .*$/),
  ]);
  expect(notes.join('')).not.toContain('secretpw');
});
