import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtemp, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import type { RouterDeps } from '../src/agent/router-deps.ts';
import { runTools } from '../src/agent/tool-router.ts';
import type { ToolCallPart } from '../src/contract/message.ts';
import type { Tool, ToolContext } from '../src/contract/tool.ts';
import { classify } from '../src/permissions/shell/classify.ts';
import { loadGrammar } from '../src/permissions/shell/grammar.ts';
import { createFiles } from '../src/sandbox/files/files.ts';
import { createGuard } from '../src/sandbox/guard.ts';
import { FileSearch } from '../src/sandbox/search/search.ts';
import { createShell } from '../src/sandbox/shell/shell.ts';
import { createBash } from '../src/tools/bash.ts';
import { edit } from '../src/tools/edit.ts';
import { glob } from '../src/tools/glob.ts';
import { grep } from '../src/tools/grep.ts';
import { read } from '../src/tools/read.ts';
import { search } from '../src/tools/search.ts';
import { hundredThousandFiles, rareWord } from './tree.ts';

/** `baseline` is the same work without us, interleaved with ours: machines differ and are shared. */
export type ToolRow = { what: string; ms: number; baseline?: { what: string; ms: number }; target?: string };

const ROUNDS = 9;
const TEN_MB = 10 * 1024 * 1024;
const CALLS = 8;

/**
 * The tools as the router runs them: parsed input, real context, real files. The first run creates a large
 * tree.
 */
export async function toolRows(): Promise<ToolRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-tools-')));
  try {
    const root = path.resolve('node_modules/.cache/bench-tree');
    const tree = await hundredThousandFiles(root);
    return [...(await largeFile(folder)), ...(await largeTree(tree)), await sideBySide(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function largeFile(folder: string): Promise<ToolRow[]> {
  const hands = handsOn(folder);
  const file = path.join(folder, 'large.txt');
  const line = 'const value = compute(input, options); // some forty more characters\n';
  const lines = Array<string>(Math.floor(TEN_MB / line.length) - 1).fill(line);
  lines[lines.length >> 1] = 'const odd = 0;\n';
  await writeFile(file, lines.join(''));

  const offset = lines.length - 200;
  const reading = await inTurns(
    () => run(read, { file_path: file, offset, limit: 100 }, hands),
    () => readFile(file),
  );
  let step = 0;
  const editing = await inTurns(
    () => {
      const change = { old_string: `const odd = ${step};`, new_string: `const odd = ${++step};` };
      return run(edit, { file_path: file, ...change }, hands);
    },
    async () => writeSynced(path.join(folder, 'copy.txt'), await readFile(file)),
  );
  return [
    row('Read: a page of a 10 MB file', reading, { of: 'readFile', target: 'under 100' }),
    row('Edit in a 10 MB file', editing, { of: 'readFile, writeFile, fsync', target: 'under 300' }),
  ];
}

async function largeTree(tree: string): Promise<ToolRow[]> {
  const hands = handsOn(tree);
  const named = (name: string) => ['--type-add', `wanted:${name}`, '--type', 'wanted', '--files'];
  /**
   * With many matches, sorting is much of the work: the row with the target has ripgrep sort by newest, too;
   * the one before it shows the cost of sorting.
   */
  const byAge = ['--sortr', 'modified'];
  const shown = ['--line-number', '--no-heading', '--with-filename', '--max-columns=500'];
  const cases: { what: string; tool: Tool; input: object; bare: string[]; target?: string }[] = [
    {
      what: 'few found',
      tool: glob,
      input: { pattern: '**/*-123*.ts' },
      bare: named('*-123*.ts'),
      target: '1.2x',
    },
    {
      what: '10,000 found',
      tool: glob,
      input: { pattern: '**/*.md' },
      bare: named('*.md'),
    },
    {
      what: '10,000 found',
      tool: glob,
      input: { pattern: '**/*.md' },
      bare: [...byAge, ...named('*.md')],
      target: '1.2x',
    },
    {
      what: 'all found',
      tool: glob,
      input: { pattern: '**/*' },
      bare: ['--files'],
    },
    {
      what: 'all found',
      tool: glob,
      input: { pattern: '**/*' },
      bare: [...byAge, '--files'],
      target: '1.2x',
    },
    {
      what: 'few found',
      tool: grep,
      input: { pattern: rareWord },
      bare: [...shown, '-e', rareWord],
      target: '1.2x',
    },
    {
      what: 'few found, paths only',
      tool: grep,
      input: { pattern: rareWord, mode: 'files' },
      bare: ['--files-with-matches', '-e', rareWord],
      target: '1.2x',
    },
    {
      what: '190,000 lines found',
      tool: grep,
      input: { pattern: 'walk' },
      bare: [...shown, '-e', 'walk'],
    },
    {
      what: '190,000 lines found',
      tool: grep,
      input: { pattern: 'walk' },
      bare: [...byAge, ...shown, '-e', 'walk'],
      target: '1.2x',
    },
    { what: 'a name', tool: search, input: { query: rareWord }, bare: ['-n', '-i', '-w', '-e', rareWord] },
  ];
  const rows: ToolRow[] = [];
  for (const { what, tool, input, bare, target } of cases) {
    const figures = await inTurns(
      () => run(tool, input, hands),
      () => ripgrep(bare, tree),
    );
    const name = `${tool.name} in 100,000 files, ${what}`;
    rows.push(
      row(name, figures, {
        of: bare.includes('--sortr') ? 'bare ripgrep, newest first' : 'bare ripgrep',
        ...(target !== undefined && { target }),
      }),
    );
  }
  return rows;
}

/** Read-only commands of half a second each, through the router as the loop uses it. */
async function sideBySide(folder: string): Promise<ToolRow> {
  await loadGrammar();
  const bash = createBash();
  const hands = handsOn(folder);
  const place = { cwd: folder, trusted: true, isInside: () => true };
  const deps: RouterDeps = {
    find: () => bash,
    toolNames: () => [bash.name],
    decide: async () => ({ verdict: 'allow', by: 'bench', because: '' }),
    context: (signal, { progress }) => ({ ...hands, signal, progress }),
    isReadOnly: ({ kind, target }) => kind === 'execute' && classify(target, place).verdict === 'allow',
    answerTo: () => undefined,
    keepOutput: async () => null,
    log: { started: async () => undefined, answered: async () => undefined },
  };
  const figures: number[] = [];
  for (let round = 0; round < 3; round++) {
    const calls = Array.from(
      { length: CALLS },
      (_, i): ToolCallPart => ({
        type: 'tool_call',
        id: `call-${round}-${i}`,
        name: 'Bash',
        input: { command: 'sleep 0.5' },
      }),
    );
    const started = performance.now();
    let answers = 0;
    for await (const event of runTools(calls, deps, hands.signal)) {
      if (event.type === 'message' && event.message.role === 'tool' && event.message.success) answers++;
    }
    if (answers !== CALLS) throw new Error(`${answers} of ${CALLS} commands succeeded.`);
    figures.push(performance.now() - started);
  }
  await hands.close();
  return {
    what: `${CALLS} read-only commands of 500 ms through the router`,
    ms: median(figures),
    target: 'under 1000',
  };
}

function handsOn(cwd: string): ToolContext & { close(): Promise<void> } {
  const lists = { additionalDirectories: [], blockedPaths: [], allowedPaths: [] };
  const guard = createGuard({ cwd, ...lists, home: '/nonexistent/home' });
  const shell = createShell({ cwd, env: process.env, guard });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return {
    cwd,
    files: createFiles({ guard, cwd }),
    shell,
    search: new FileSearch({ guard, cwd }),
    web: { get: () => Promise.reject(new Error('These hands do not reach the web.')) },
    ask: async () => null,
    todos: { list: () => [], replace: () => undefined },
    accepts: { images: false },
    signal,
    seen: new Map(),
    progress: () => undefined,
    close: () => shell.close(),
  };
}

async function run(tool: Tool, input: object, hands: ToolContext): Promise<void> {
  const result = await tool.run(tool.input.parse(input), hands);
  if (!result.success) throw new Error(`${tool.name}: ${result.error}`);
}

function ripgrep(args: string[], cwd: string): Promise<void> {
  const child = spawn(rgPath, ['--no-config', '--no-require-git', '--null', ...args, '--', './'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`ripgrep ended with ${code}`))));
  });
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

type Figures = { ours: number; bare: number };

/** The medians of two interleaved measurements, so that a busy moment affects both. */
async function inTurns(ours: () => Promise<unknown>, bare: () => Promise<unknown>): Promise<Figures> {
  const figures = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [first, second] = [await timed(ours), await timed(bare)];
    // The first round is a warm-up.
    if (round === 0) continue;
    figures.ours.push(first);
    figures.bare.push(second);
  }
  return { ours: median(figures.ours), bare: median(figures.bare) };
}

async function timed(deed: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await deed();
  return performance.now() - started;
}

function row(
  what: string,
  { ours, bare }: Figures,
  { of, target }: { of: string; target?: string },
): ToolRow {
  return { what, ms: ours, baseline: { what: of, ms: bare }, ...(target !== undefined && { target }) };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;
}
