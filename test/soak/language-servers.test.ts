// @module-tag soak
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { textOf } from '../../src/contract/message.ts';
import { playEdits } from '../support/edited-repository.ts';
import { run, toolTexts, writeHooks } from '../support/hooks.ts';
import { calls, says } from '../support/model-server/script.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Not development dependencies: 60 MB, for these tests alone. */
const PACKAGES = ['typescript-language-server@5', 'typescript@6', 'pyright@1.1'];
const installed = path.resolve('node_modules/.cache/language-servers');

let missing = '';

beforeAll(async () => {
  if (existsSync(path.join(installed, 'node_modules/.bin/pyright-langserver'))) return;
  await mkdir(installed, { recursive: true });
  const line = ['install', '--prefix', installed, '--no-audit', '--no-fund', '--no-save', ...PACKAGES];
  await promisify(execFile)('npm', line).catch((error: Error) => {
    missing = `The servers cannot be installed: ${error.message}`;
  });
}, 600_000);

/** The project has them in its node_modules: the sandbox does not show what lies elsewhere below /tmp. */
async function install({ root }: Workspace): Promise<void> {
  await promisify(execFile)('cp', ['-a', path.join(installed, 'node_modules'), root]);
}

async function project(files: Record<string, string>): Promise<Workspace> {
  const space = await workspace(files);
  await install(space);
  await writeHooks(space, {}, { languageServers: { limitMs: 60_000 } });
  return space;
}

const shell = (command: string) => calls(['Bash', { command }]);
const write = (file: string, content: string) =>
  calls(['Read', { file_path: file }], ['Write', { file_path: file, content }]);
const create = (file: string, content: string) => calls(['Write', { file_path: file, content }]);

/** The lines of language servers in each result, and those that came after all results. */
async function newsOf(space: Workspace, steps: ReturnType<typeof calls>[]) {
  const played = await run(space, [...steps, says('done'), says('done')], ['--trust', '--mode', 'auto']);
  expect(played.code).toBe(0);
  const news = toolTexts(played)
    .filter((text) => !/^\s*1\t/.test(text))
    .map(linesIn);
  const late = played.events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'user' ? linesIn(textOf(event.message)) : [],
  );
  return { news, late };
}

function linesIn(text: string): string[] {
  return [
    ...(text.match(/^\S+:\d+:\d+ error: .*$/gm) ?? []),
    ...(text.match(/^Whether .* is not known.*$/gm) ?? []),
  ];
}

describe('real servers', () => {
  test('typescript-language-server', async ({ skip }) => {
    skip(missing !== '', missing);
    const space = await project({
      'package.json': '{"type":"module"}',
      'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext","noEmit":true}}',
      'a.ts': "import { b } from './b.js';\nexport const a: number = b;\nexport const old: string = 1;\n",
      'b.ts': 'export const b = 1;\n',
    });
    const { news } = await newsOf(space, [
      write(
        'a.ts',
        "import { b } from './b.js';\nexport const a: number = b;\nexport const old: string = 1;\n// more\n",
      ),
      shell('echo "export const b = \'x\';" > b.ts'),
      shell('echo "export const b = 2;" > b.ts; echo "export const c = 3;" > c.ts'),
      write(
        'a.ts',
        "import { b } from './b.js';\nimport { c } from './c.js';\nexport const a: number = b + c;\n",
      ),
      shell('rm c.ts'),
    ]);
    expect(news).toEqual([
      [],
      ["a.ts:2:14 error: Type 'string' is not assignable to type 'number'. (ts 2322)"],
      [],
      [],
      [expect.stringContaining("a.ts:2:19 error: Cannot find module './c.js'")],
    ]);
  });

  test('typescript-language-server for 8 sessions at once, with the usual limit', async ({ skip }) => {
    skip(missing !== '', missing);
    const played = playEdits({ sessions: 8, edits: 56, limitMs: 1_500, whenDone: onTestFinished, install });
    // What is not known within the limit is not claimed, however slow the machine is.
    expect(await played).toMatchObject({ results: 56, stale: [], missed: [] });
  });

  test('pyright', async ({ skip }) => {
    skip(missing !== '', missing);
    const space = await project({
      'pyproject.toml': '[tool.pyright]\n',
      'a.py': 'from b import value\n\nresult: int = value\nold: str = 1\n',
      'b.py': 'value: int = 1\n',
    });
    const { news, late } = await newsOf(space, [
      write('a.py', 'from b import value\n\nresult: int = value\nold: str = 1\n# more\n'),
      shell('echo "value: str = \'x\'" > b.py'),
      shell('echo "value: int = 2" > b.py'),
      create('c.py', 'broken: int = "x"\n'),
    ]);
    expect(late).toEqual([]);
    expect(news).toEqual([
      [],
      [expect.stringMatching(/^a\.py:3:15 error: Type "str" is not assignable to declared type "int"/)],
      [],
      [
        expect.stringMatching(
          /^c\.py:1:15 error: Type "Literal\['x'\]" is not assignable to declared type "int"/,
        ),
      ],
    ]);
  });

  test('clangd', async ({ skip }) => {
    skip(!existsSync('/usr/bin/clangd'), 'clangd is not installed (apt install clangd).');
    const space = await workspace({
      'compile_flags.txt': '-std=c11\n',
      'lib.h': 'int twice(int);\n',
      'main.c': '#include "lib.h"\nint main(void) { return twice(1); }\nint old = undefined_old;\n',
    });
    await writeHooks(space, {}, { languageServers: { limitMs: 60_000 } });
    const { news } = await newsOf(space, [
      write('main.c', '#include "lib.h"\nint main(void) { return twice(2); }\nint old = undefined_old;\n'),
      shell("sed -i 's/twice(2)/twice(2, 3)/' main.c"),
      shell("echo 'int twice(int, int);' > lib.h"),
      write('main.c', '#include "lib.h"\nint main(void) { return twice(4); }\n'),
    ]);
    expect(news).toEqual([
      [],
      [expect.stringMatching(/^main\.c:2:\d+ error: too many arguments to function call/i)],
      [],
      [expect.stringMatching(/^main\.c:2:\d+ error: too few arguments to function call/i)],
    ]);
  });

  test('gopls', async ({ skip }) => {
    skip(!existsSync('/usr/bin/gopls'), 'gopls is not installed (apt install gopls golang-go).');
    const main = (body: string) => `package main\n\nfunc main() {\n\t${body}\n}\n`;
    const space = await workspace({
      'go.mod': 'module example.com/demo\n\ngo 1.19\n',
      'lib.go': 'package main\n\nfunc twice(n int) int { return 2 * n }\n',
      'main.go': main('println(twice(1))'),
    });
    await writeHooks(space, {}, { languageServers: { limitMs: 60_000 } });
    const { news, late } = await newsOf(space, [
      write('main.go', main('println(twice(2))')),
      shell('sed -i \'s/twice(2)/twice("x")/\' main.go'),
      write('main.go', main('println(twice(3))')),
      shell("sed -i 's/n int) int { return 2/n string) int { return len(n)/; s/ \\* n }/ }/' lib.go"),
      create('new.go', 'package main\n\nvar broken int = "x"\n'),
    ]);
    expect(late).toEqual([]);
    expect(news).toEqual([
      [],
      [expect.stringMatching(/^main\.go:4:\d+ error: cannot use "x" .* as int value in argument to twice/)],
      [],
      [expect.stringMatching(/^main\.go:4:\d+ error: cannot use 3 .* as string value in argument to twice/)],
      [expect.stringMatching(/^new\.go:3:\d+ error: cannot use "x" .* as int value in variable declaration/)],
    ]);
  });
});
