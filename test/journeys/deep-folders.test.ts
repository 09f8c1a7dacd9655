// @module-tag soak
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const DEPTH = 2_000;
const NAME = 'a-folder-with-a-name';

/** Folders within folders, far past the longest path that the system takes: only who goes down can make them. */
function makeDeep(root: string): void {
  const script =
    `for (let i = 0; i < ${DEPTH}; i++) { fs.mkdirSync('${NAME}'); process.chdir('${NAME}'); }` +
    `fs.writeFileSync('deep.txt', 'hello')`;
  execFileSync(process.execPath, ['-e', script], { cwd: root });
  // Libraries that remove by path cannot: the path is too long for them.
  onTestFinished(() => void execFileSync('rm', ['-rf', path.join(root, NAME)]));
}

describe.skipIf(process.platform === 'win32')('folders as nobody makes them', () => {
  test(
    'thousands deep, in loops and very wide: every tool answers, and so does the end of the run',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'hello\n', 'wide/f': '' });
      makeDeep(space.root);
      symlinkSync('.', path.join(space.root, 'itself'));
      symlinkSync('pong', path.join(space.root, 'ping'));
      symlinkSync('ping', path.join(space.root, 'pong'));
      mkdirSync(path.join(space.root, 'wider'));
      for (let i = 0; i < 20_000; i++) writeFileSync(path.join(space.root, 'wider', `f${i}`), '');
      const deep = Array(300).fill(NAME).join('/');
      const server = await serve([
        calls(
          ['Grep', { pattern: 'hello' }],
          ['Glob', { pattern: '**/*.txt' }],
          ['List', {}],
          ['List', { path: 'wider' }],
          ['Search', { query: 'hello' }],
          ['Read', { file_path: `${deep}/deep.txt` }],
          ['Read', { file_path: 'ping' }],
          ['List', { path: deep }],
          ['Glob', { pattern: '*', path: deep }],
          ['Write', { file_path: `${deep}/new.txt`, content: 'x' }],
          ['Edit', { file_path: 'ping', old_string: 'a', new_string: 'b' }],
          ['Read', { file_path: 'a.txt' }],
        ),
        calls(['Bash', { command: 'cat a.txt' }]),
        says('done'),
      ]);
      const { model, env } = doors.anthropic(server.url);
      const { code, stdout } = await aca(space, ['-p', 'look', '--model', model, '--mode', 'accept-edits'], {
        env,
      });
      const texts =
        server.requests.at(-1)?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
      // What cannot be reached is refused, and that is what the exit code says.
      expect({ code, stdout }).toEqual({ code: 3, stdout: 'done\n' });
      expect(texts).toEqual([
        'a.txt:1:hello',
        'a.txt',
        expect.stringContaining('wider/  20000 files'),
        expect.stringContaining('f0  0 bytes'),
        'a.txt:1: hello  [word]',
        ...[
          ['read', NAME],
          ['read', 'ping'],
          ['read', NAME],
          ['read', NAME],
          ['write', NAME],
          ['write', 'ping'],
        ].map((words) => expect.stringContaining(`Permission denied: ${words.join(' ')}`)),
        '1\thello',
        'hello\n',
      ]);
    },
  );

  test('the program started in a folder whose path is too long says so', async () => {
    const space = await workspace({});
    makeDeep(space.root);
    const line = program(['-p', 'go', '--model', 'anthropic/claude-sonnet-4-5']);
    const down = `for (let i = 0; i < ${DEPTH}; i++) process.chdir('${NAME}');`;
    const run = `const { status, stderr } = child_process.spawnSync(${JSON.stringify(line.file)}, ${JSON.stringify(line.args)}); console.log(JSON.stringify({ status, stderr: String(stderr) }))`;
    const out = execFileSync(process.execPath, ['-e', `${down}${run}`], {
      cwd: space.root,
      env: cleanEnv(space),
    });
    expect(JSON.parse(String(out))).toEqual({
      status: 2,
      stderr: 'Cannot use the working directory: its path is too long.\nStart from another folder.\n',
    });
  });

  test('the program started in a folder that was removed says so', async () => {
    const space = await workspace({});
    const line = program(['-p', 'go']);
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', line.file, ...line.args], {
      cwd: space.root,
      env: cleanEnv(space),
    });
    expect({ status, stderr: String(stderr) }).toEqual({
      status: 2,
      stderr: 'Cannot use the working directory: it was removed.\nStart from another folder.\n',
    });
  });
});
