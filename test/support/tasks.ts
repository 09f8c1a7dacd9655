import { both, calls, type Reply, says } from './model-server/script.ts';

export type Task = {
  name: string;
  files: Record<string, string>;
  prompt: string;
  flags: string[];
  script: Reply[];
  tree: Record<string, string>;
  result: string;
};

const sum = { 'sum.js': 'export const sum = (a, b) => a - b;\n' };
const sumTest = {
  'sum.test.js':
    "import assert from 'node:assert';\nimport { sum } from './sum.js';\nassert.equal(sum(2, 3), 5);\nconsole.log('ok');\n",
  'package.json': '{ "type": "module" }\n',
};

/** The same five tasks for every model. */
export const tasks: Task[] = [
  {
    name: 'explain',
    files: sum,
    prompt: 'What is a closure?',
    flags: [],
    script: [says('A closure is a function with the variables it was born among — naïve, but 正しい.')],
    tree: sum,
    result: 'A closure is a function with the variables it was born among — naïve, but 正しい.',
  },
  {
    name: 'read and answer',
    files: sum,
    prompt: 'What does sum.js do?',
    flags: [],
    script: [
      both('Let me look.', ['Read', { file_path: 'sum.js' }]),
      says('It subtracts, although it is called sum.'),
    ],
    tree: sum,
    result: 'It subtracts, although it is called sum.',
  },
  {
    name: 'fix a failing test by edit',
    files: { ...sum, ...sumTest },
    prompt: 'Make the test pass.',
    flags: ['--mode', 'accept-edits', '--allow', 'Bash(node sum.test.js)'],
    script: [
      calls(['Bash', { command: 'node sum.test.js' }]),
      calls(['Read', { file_path: 'sum.js' }]),
      calls(['Edit', { file_path: 'sum.js', old_string: 'a - b', new_string: 'a + b' }]),
      calls(['Bash', { command: 'node sum.test.js' }]),
      says('The test passes now.'),
    ],
    tree: { 'sum.js': 'export const sum = (a, b) => a + b;\n', ...sumTest },
    result: 'The test passes now.',
  },
  {
    name: 'run commands',
    files: {},
    prompt: 'Make a file with node.',
    flags: ['--allow', 'Bash(node *)'],
    script: [
      calls(['Bash', { command: `node -e "require('fs').writeFileSync('made.txt', 'made')"` }]),
      calls(['Bash', { command: 'cat made.txt' }]),
      calls(['Bash', { command: 'node -e "process.exit(3)"' }]),
      says('Made it.'),
    ],
    tree: { 'made.txt': 'made' },
    result: 'Made it.',
  },
  {
    name: 'parallel reads',
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c/d.txt': 'delta\n' },
    prompt: 'Read everything.',
    flags: [],
    script: [
      calls(
        ['Read', { file_path: 'a.txt' }],
        ['Read', { file_path: 'b.txt' }],
        ['Glob', { pattern: '**/*.txt' }],
        ['Grep', { pattern: 'del' }],
        ['Read', { file_path: 'missing.txt' }],
      ),
      says('Read.'),
    ],
    tree: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c/d.txt': 'delta\n' },
    result: 'Read.',
  },
];
