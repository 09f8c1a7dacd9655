import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandVerdict, commandJudge, loadJudge } from '../../src/assembly/safety/judge-command.ts';
import { readOnlyPrograms } from '../../src/permissions/rules/read-only.ts';
import { readOnlyLines } from '../../src/permissions/rules/read-only-lines.ts';
import { hostileProject } from './project.ts';
import { readCases } from './read-cases.ts';

/** Every program that some line may run unasked. */
const names = new Set([
  ...Object.keys(readOnlyPrograms).filter((name) => /^\w+$/.test(name)),
  ...readOnlyLines.map((line) => line.split(' ')[0] ?? ''),
  ...['git', 'bash', 'sh', 'nice', 'ionice', 'stdbuf', 'timeout', 'xargs', 'time'],
]);
/** The shell does these itself. */
const builtins = /^(break|cd|command|continue|echo|exit|false|printf|pwd|read|set|test|true|type|which)$/;
/** Lines that run a program: what stands at the start, or behind something that begins a command, is its name. */
const runsProgram = (line: string) =>
  [
    ...line
      .replaceAll(/'[^']*'|#.*/g, '')
      .matchAll(/(?:^|[|;&({`]|\b(?:do|then|else|time|if)\s|&&|\$\()\s*([a-z]\w*)/g),
  ].some(([, name = '']) => names.has(name) && !builtins.test(name));

const cleanUps: (() => Promise<void>)[] = [];
let root = '';
let home = '';
let judgeWith: (PATH: string) => (line: string) => CommandVerdict;
const system = process.env.PATH ?? '/usr/bin:/bin';

beforeAll(async () => {
  await loadJudge();
  const space = await hostileProject((clean) => cleanUps.push(clean));
  ({ root, home } = space);
  for (const folder of [
    'bin',
    'node_modules/.bin',
    'src',
    'docs',
    'src/node_modules/.bin',
    'docs/node_modules/.bin',
    '.',
  ]) {
    await mkdir(path.join(root, folder), { recursive: true });
    for (const name of names) {
      if (folder === '.' && ['src', 'docs'].includes(name)) continue;
      const file = path.join(root, folder, name);
      await writeFile(file, '#!/bin/sh\ntouch planted\n');
      await chmod(file, 0o755);
    }
  }
  await symlink(path.join(root, 'bin'), path.join(space.base, 'outside/tools'));
  judgeWith = (PATH) => commandJudge({ cwd: root, home, trusted: false, env: { PATH } });
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

const paths: [name: string, PATH: () => string][] = [
  ['the current folder first', () => `.:${system}`],
  ['an empty entry first', () => `:${system}`],
  ['a relative folder', () => `node_modules/.bin:${system}`],
  ['a folder of the project', () => `${root}/bin:${system}`],
  ['a link to a folder of the project', () => `${path.dirname(root)}/outside/tools:${system}`],
  ['nothing but the project', () => `${root}/bin`],
];

const allowed = readCases()
  .filter(({ wanted, file }) => wanted === 'allow' && file !== 'trusted.txt')
  .map(({ line }) => line);

test.each(paths)(
  '[Y06] with %s in the PATH nothing that a planted program could do runs unasked',
  (_name, PATH) => {
    const judge = judgeWith(PATH());
    const judged = (line: string) => judge(line.replaceAll('%ROOT%', root).replaceAll('%HOME%', home));
    expect(allowed.filter(runsProgram).length).toBeGreaterThan(200);
    const loose = allowed.filter((line) => runsProgram(line) && judged(line).verdict === 'allow');
    expect(loose).toEqual([]);
  },
);

test('with the system before the project the same lines run as ever', () => {
  const judge = judgeWith(`${system}:.:${root}/bin`);
  const installed = [
    'ls',
    'cat README.md',
    'git status',
    'grep x README.md',
    'bash -c ls',
    'timeout 5 ls',
    'wc -l log.txt',
  ];
  expect(installed.map((line) => judge(line).verdict)).toEqual(installed.map(() => 'allow'));
});

test('what the shell does itself is not looked for in the PATH, unless a program runs it', () => {
  const judge = judgeWith(`.:${system}`);
  const own = [
    'echo hi',
    'printf x',
    'pwd',
    'test -f README.md',
    '[ -f README.md ]',
    'true',
    'type ls',
    'cd docs',
  ];
  expect(own.map((line) => judge(line).verdict)).toEqual(own.map(() => 'allow'));
  const started = ['timeout 5 echo hi', 'nice printf x', 'xargs echo', 'stdbuf -oL pwd'];
  expect(started.map((line) => judge(line).verdict)).toEqual(started.map(() => 'ask'));
});

test('the question says which program is meant', () => {
  expect(judgeWith(`.:${system}`)('ls').reason).toBe(
    `ls would run ${root}/ls, which commands or other users can modify`,
  );
});

// Ways to another program that are written in the line itself.
test.each([
  'PATH=.:$PATH ls',
  'PATH=. ls',
  'export PATH=.:$PATH; ls',
  'env PATH=. cat README.md',
  'env -i PATH=. ls',
  'ls() { touch x; }; ls',
  'function cat { touch x; }; cat README.md',
  "alias ls='touch x'; ls",
  'hash -p ./evil ls; ls',
  'enable -f ./evil.so ls; ls',
  'enable -n echo; echo hi',
  'shopt -s expand_aliases; ls',
  'BASH_ENV=./evil bash -c ls',
  'ENV=./evil sh -c ls',
  'LD_PRELOAD=./evil.so ls',
  'LD_LIBRARY_PATH=. ls',
  'PAGER=./evil git log',
  'GIT_PAGER=./evil git log',
  'GIT_EXTERNAL_DIFF=./evil git diff',
  'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=./evil git log',
  'git -c core.pager=./evil log',
  'git -c core.fsmonitor=./evil status',
  'git -c alias.log=!./evil log',
  'git --exec-path=. log',
  'git -C docs log',
  'git --git-dir=evil.git log',
  'git --config-env=core.pager=EVIL log',
  'git -p log',
  'RIPGREP_CONFIG_PATH=./rc rg x',
  'rg --pre ./evil x',
  'rg --hostname-bin ./evil x',
  'LESSOPEN="|./evil %s" less README.md',
  'GREP_OPTIONS="-f x" grep y README.md',
  'sort --compress-program=./evil README.md',
  'sort --compress-prog ./evil README.md',
  'MAGIC=./m file README.md',
  'file -m ./m README.md',
  'man -P ./evil ls',
  'man -l ./page.1',
  'less README.md',
  'python3 -m json.tool data.json',
  'python -m http.server',
  'python3 -c 1',
  'node -p 1',
  'node -r ./evil -v',
  'node --require ./evil --version',
  'node evil.js',
  'ruby -r ./evil --version',
  'perl -Mevil --version',
  'java -javaagent:evil.jar -version',
  'java -jar evil.jar',
  'make -n',
  'make --version',
  'npm ls',
  'npx tsc --noEmit',
  'tsc --noEmit',
  'eslint .',
  'go vet ./...',
  'go version',
  'cargo check',
  'cargo --version',
  'jq -f evil.jq data.json',
  'jq -L . . data.json',
  'tree --fromfile README.md',
  'tree -o out',
  'bat README.md',
  'awk -f evil.awk README.md',
  'gawk -l evil 1 README.md',
  'sed -f evil.sed README.md',
  'find . -exec ./evil {} +',
  'xargs ./evil',
  'time ./evil',
  'command ./evil',
  './ls',
  'bin/cat README.md',
  './node_modules/.bin/rg x',
  '$PWD/ls',
  '~/ls',
  '"$(pwd)/ls"',
  '. ./evil',
  'source evil',
  'bash evil',
  'sh ./evil',
  'bash --rcfile evil -i -c ls',
  'bash --init-file evil -ic ls',
  'bash -l -c ls',
  'direnv exec . ls',
  'nix-shell --run ls',
])('%s is no line that surely only looks', (line) => {
  expect(judgeWith(system)(line).verdict).not.toBe('allow');
});
