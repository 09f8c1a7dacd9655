import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { filesBelow } from '../src/lib/files/files-below.ts';
import { checkArchitecture } from './support/architecture.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

async function realTree(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of ['src', 'test', 'web', 'editors']) {
    for (const file of filesBelow(path.join(root, folder), { skipped: ['node_modules'] })) {
      if (!/\.tsx?$/.test(file)) continue;
      files.set(path.relative(root, file).replaceAll(path.sep, '/'), await readFile(file, 'utf8'));
    }
  }
  return files;
}

function rulesBroken(files: Record<string, string>): string[] {
  return checkArchitecture(new Map(Object.entries(files))).map(({ file, rule }) => `${rule}: ${file}`);
}

const longer = (lines: number) => 'export const x = 1;\n'.repeat(lines);

test('the source tree follows the architecture', async () => {
  const files = await realTree();

  expect(files.size).toBeGreaterThan(10);
  expect(checkArchitecture(files).map(({ message }) => message)).toEqual([]);
});

/** They receive what a person types, or carry on the part of it that somebody typed. */
const MARK_TYPED = [
  'src/api/agent-run.ts',
  'src/app/conversation/steering.ts',
  'src/assembly/extensions/extension-commands.ts',
  'src/commands/plan.ts',
  'src/contract/message.ts',
  'src/frontends/print/run.ts',
  'src/frontends/print/stream/input-line.ts',
  'src/plugins/plugin-hooks.ts',
];

test('nothing else says that the user typed a text: the guard lets typed addresses pass', async () => {
  const marks = [...(await realTree())].filter(
    ([file, text]) =>
      /^src\/.*(?<!\.test)\.ts$/.test(file) &&
      /\basTyped\(|\btyped: (true|\w+ \|\||written|words)/.test(text),
  );
  expect(marks.map(([file]) => file).sort()).toEqual(MARK_TYPED);
});

describe('a planted violation is found', () => {
  const planted: [what: string, file: string, text: string, rule: string][] = [
    ['an import upwards', 'src/lib/a.ts', "import { x } from '../contract/x.ts';", 'layer'],
    ['a type-only import upwards', 'src/contract/a.ts', "import type { X } from '../agent/x.ts';", 'layer'],
    [
      'an inline import type upwards',
      'src/contract/a.ts',
      "export type A = import('../agent/x.ts').X;",
      'layer',
    ],
    ['a component that imports another', 'src/tools/a.ts', "import { x } from '../sandbox/x.ts';", 'layer'],
    ['a re-export of another component', 'src/tools/a.ts', "export * from '../sandbox/x.ts';", 'layer'],
    ['a dynamic import upwards', 'src/agent/a.ts', "export const x = () => import('../cli/x.ts');", 'layer'],
    ['a frontend that imports another', 'src/frontends/plain/a.ts', "import '../print/x.ts';", 'layer'],
    ['the app importing a frontend', 'src/app/a.ts', "import '../frontends/shared/x.ts';", 'layer'],
    ['the fleet importing a frontend', 'src/fleet/a.ts', "import '../frontends/shared/x.ts';", 'layer'],
    ['the environment in the fleet', 'src/fleet/a.ts', 'export const x = process.env.HOME;', 'process'],
    ['the public API importing the cli', 'src/api/a.ts', "import '../cli/x.ts';", 'layer'],
    ['the shared part importing a frontend', 'src/frontends/shared/a.ts', "import '../plain/x.ts';", 'layer'],
    ['a frontend importing the cli', 'src/frontends/print/a.ts', "import '../../cli/x.ts';", 'layer'],
    ['a frontend importing the server', 'src/frontends/acp/a.ts', "import '../server/x.ts';", 'layer'],
    ['a frontend without a layer', 'src/frontends/watch/a.ts', 'export const x = 1;', 'module'],
    ['standard input in the app', 'src/app/a.ts', 'process.stdin.resume();', 'process'],
    ['the environment in the app', 'src/app/a.ts', 'export const x = process.env.HOME;', 'process'],
    [
      'the environment in a frontend',
      'src/frontends/terminal/a.ts',
      'export const x = process.env.TERM;',
      'process',
    ],
    ['a file that imports itself', 'src/lib/a.ts', "import type { X } from './a.ts';", 'cycle'],
    [
      'a test that joins two components',
      'src/tools/a.test.ts',
      "import { x } from '../sandbox/x.ts';",
      'layer',
    ],
    [
      'an import from the browser',
      'src/lib/a.ts',
      "import type { X } from '../../web/chat/x.ts';",
      'outside',
    ],
    ['code of src in the browser', 'web/chat/a.ts', "import { x } from '../../src/lib/x.ts';", 'browser'],
    [
      'code of src on demand',
      'editors/a/b.ts',
      "export const x = () => import('../../src/x.ts');",
      'browser',
    ],
    ['an import from the tests', 'src/lib/a.ts', "import { x } from '../../test/support/x.ts';", 'outside'],
    ['a folder that has no layer', 'src/misc/a.ts', 'export const x = 1;', 'module'],
    ['the disk in a tool', 'src/tools/a.ts', "import { readFile } from 'node:fs/promises';", 'disk'],
    ['the disk by require', 'src/tools/a.ts', "const fs = require('fs');", 'disk'],
    ['a process in a tool', 'src/tools/a.ts', "import { spawn } from 'node:child_process';", 'spawn'],
    ['a process in the cli', 'src/cli/a.ts', "const x = await import('node:child_process');", 'spawn'],
    ['a socket in a tool', 'src/tools/a.ts', "import { request } from 'node:https';", 'network'],
    ['the runtime outside src/embedded', 'src/providers/a.ts', "import 'node-llama-cpp';", 'runtime'],
    ['a thread in a tool', 'src/tools/a.ts', "import { Worker } from 'node:worker_threads';", 'thread'],
    ['a vendor SDK', 'src/providers/a.ts', "import OpenAI from 'openai'; export const x = OpenAI;", 'vendor'],
    ['a vendor SDK on first use', 'src/providers/a.ts', "export const x = () => import('openai');", 'vendor'],
    [
      'a vendor in the agent',
      'src/agent/a.ts',
      "import type { Anthropic } from '@anthropic-ai/sdk';",
      'vendor',
    ],
    ['standard output in a component', 'src/session/a.ts', "process.stdout.write('x');", 'process'],
    ['standard output by import', 'src/agent/a.ts', "import { stdout } from 'node:process';", 'process'],
    ['the end of the process in a component', 'src/sandbox/a.ts', 'process.exit(1);', 'process'],
    ['the environment in a component', 'src/config/a.ts', 'export const x = process.env.HOME;', 'process'],
    ['the environment by destructuring', 'src/config/a.ts', 'const { env } = process;', 'process'],
    ['the environment by index', 'src/config/a.ts', "export const x = globalThis.process['env'];", 'process'],
    [
      'a time limit that the collector takes away',
      'src/lib/a.ts',
      'export const x = AbortSignal.timeout(5);',
      'timeout',
    ],
    [
      'a folder made with its parents by Node',
      'src/lib/a.ts',
      'export const x = (at: string) => mkdirSync(at, { recursive: true });',
      'recursion',
    ],
    [
      'a walk that follows links',
      'test/support/a.ts',
      `export const x = readdirSync('.', { withFileTypes: true, recursive: ${true} });`,
      'recursion',
    ],
    [
      'a shared file that is written without its lock',
      'src/config/a.ts',
      "import { writeAtomic } from '../lib/files/atomic-write.ts';",
      'shared',
    ],
    ['a module mock', 'test/journeys/a.test.ts', "vi.mock('node:fs');", 'mock'],
    ['a manager', 'src/session/session-manager.ts', 'export const x = 1;', 'name'],
    ['utils', 'src/lib/utils.ts', 'export const x = 1;', 'name'],
    ['a helper among the tests', 'test/support/test-helpers.ts', 'export const x = 1;', 'name'],
    ['a service', 'src/mcp/service.ts', 'export const x = 1;', 'name'],
    ['a file in camel case', 'src/lib/readLines.ts', 'export const x = 1;', 'name'],
    ['a barrel', 'src/lib/index.ts', "export * from './a.ts';", 'index'],
    ['a long file', 'src/lib/a.ts', longer(401), 'length'],
    ['a long loop', 'src/agent/loop.ts', longer(121), 'length'],
    ['a long controller', 'src/agent/controller.ts', longer(251), 'length'],
    ['a main that loads the app', 'src/cli/main.ts', "import { run } from './run.ts';", 'start'],
    ['a main that loads a package', 'src/cli/main.ts', "import { Command } from 'commander';", 'start'],
    ['a file that is not TypeScript', 'src/lib/a.ts', 'export const = ;', 'syntax'],
  ];

  test.each(planted)('%s', (_, file, text, rule) => {
    expect(rulesBroken({ [file]: text })).toEqual([`${rule}: ${file}`]);
  });

  test('an import circle, also of types alone', () => {
    expect(
      rulesBroken({
        'src/lib/a.ts': "import type { B } from './b.ts';",
        'src/lib/b.ts': "export { x } from './c.ts';",
        'src/lib/c.ts': "import { a } from './a.ts';",
        'src/lib/d.ts': "import { a } from './a.ts';",
      }),
    ).toEqual(['cycle: src/lib/a.ts']);
  });

  test('a folder with too many files; tests and flat lists do not count', () => {
    const folder = (name: string, ending: string) =>
      Object.fromEntries(
        Array.from({ length: 26 }, (_, i) => [`src/${name}/f${i}${ending}`, 'export const x = 1;']),
      );
    expect(rulesBroken(folder('lib/text', '.ts'))).toEqual(['crowded: src/lib/text']);
    expect(rulesBroken({ ...folder('lib/text', '.test.ts'), ...folder('commands', '.ts') })).toEqual([]);
  });

  test('a large library on the start-up path, however far down', () => {
    expect(
      rulesBroken({
        'src/cli/main.ts': "await import('./app.ts');",
        'src/cli/app.ts': "import { x } from '../providers/index.ts';",
        'src/providers/index.ts': "export { x } from './proxy.ts';",
        'src/providers/proxy.ts': "import { Agent } from 'undici'; export const x = Agent;",
      }),
    ).toEqual(['heavy: src/providers/proxy.ts']);
  });

  test('an import that keeps only types at run time still loads its module', () => {
    expect(
      rulesBroken({
        'src/assembly.ts': "import { type Dispatcher } from 'undici'; export type D = Dispatcher;",
      }),
    ).toEqual(['heavy: src/assembly.ts']);
  });
});

describe('what only looks like a violation is left alone', () => {
  const innocent: [what: string, file: string, text: string][] = [
    ['a circle that an import() closes', 'src/lib/a.ts', "export const x = () => import('./a.ts');"],
    ['an import downwards', 'src/agent/a.ts', "import { x } from '../tools/x.ts';"],
    ['a frontend in the server', 'src/frontends/server/a.ts', "import '../terminal/x.ts';"],
    ['types of src in the browser', 'web/chat/a.ts', "import type { X } from '../../src/lib/x.ts';"],
    ['a neighbour in the same component', 'src/tools/a.ts', "import { x } from './b/x.ts';"],
    ['an import in a comment', 'src/lib/a.ts', "// import { x } from '../agent/x.ts'\nexport const x = 1;"],
    ['an import in a string', 'src/lib/a.ts', 'export const x = "import y from \'node:child_process\'";'],
    ['test support beside a file', 'src/tools/a.test.ts', "import { x } from '../../test/support/x.ts';"],
    ['the disk in a test', 'src/tools/a.test.ts', "import { readFile } from 'node:fs/promises';"],
    ['the disk in the cli', 'src/cli/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['the environment in the cli', 'src/cli/a.ts', 'export const x = process.env.HOME;'],
    [
      'another process-like value',
      'src/lib/a.ts',
      'export const x = (child: { stdout: 1 }) => child.stdout;',
    ],
    ['the platform', 'src/sandbox/a.ts', 'export const x = process.platform;'],
    ['a list of members', 'src/tools/index.ts', "export { read } from './read.ts';"],
    ['a mock of nothing', 'src/lib/a.test.ts', "const text = 'vi.mock';"],
    [
      'the types of a vendor SDK',
      'src/providers/a.ts',
      "import type OpenAI from 'openai'; export type X = OpenAI;",
    ],
    ['a utility as a part of a word', 'src/lib/futile.ts', 'export const x = 1;'],
    ['a file exactly at its ceiling', 'src/agent/loop.ts', longer(120)],
  ];

  test.each(innocent)('%s', (_, file, text) => {
    expect(rulesBroken({ [file]: text })).toEqual([]);
  });
});
