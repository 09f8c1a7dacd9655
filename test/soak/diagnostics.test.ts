// @module-tag soak
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/api/create-agent.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { installTypeScript } from '../support/diagnostics.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { rounds } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const SESSIONS = 8;
/** The figures are printed. */
const EDITS = rounds(64, 500);

const options = { composite: true, strict: true, rootDir: '.', outDir: '../out', module: 'nodenext' };
const main = (type: string, n: number, more = '') =>
  `import { value } from '../lib${n}/value.ts';\nexport const x: ${type} = value;\n${more}`;

/** A repository of project references: one library and one program for each session. */
function repository(): Record<string, string> {
  const numbers = Array.from({ length: SESSIONS }, (_, n) => n);
  const folders = numbers.flatMap((n) => [`./lib${n}`, `./app${n}`]);
  return {
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({ files: [], references: folders.map((folder) => ({ path: folder })) }),
    ...Object.assign(
      {},
      ...numbers.map((n) => ({
        [`lib${n}/tsconfig.json`]: JSON.stringify({ compilerOptions: options }),
        [`lib${n}/value.ts`]: 'export const value: number = 0;\n',
        [`app${n}/tsconfig.json`]: JSON.stringify({
          compilerOptions: options,
          references: [{ path: `../lib${n}` }],
        }),
        [`app${n}/main.ts`]: main('number', n),
      })),
    ),
  };
}

/** One edit, and the errors that its files have afterwards: never more, and never others. */
type Edit = { step: Step; errors: string[] };

/** A file that a command changed must be read again. */
const write = (file: string, content: string): Step =>
  calls(['Read', { file_path: file }], ['Write', { file_path: file, content }]);
const shell = (file: string, content: string): Step =>
  calls(['Bash', { command: `cat > ${file} <<'EOF'\n${content}EOF` }]);

/** The edits of one session, which repeat; each text is new, so that an old result cannot pass for a new one. */
function editsOf(n: number, count: number): Edit[] {
  const app = `app${n}/main.ts`;
  const lib = `lib${n}/value.ts`;
  const wrong = `${app} Type 'string' is not assignable to type 'number'.`;
  const cycle = (k: number): Edit[] => [
    { step: write(app, main('number', n, `// ${k}\n`)), errors: [] },
    { step: shell(lib, `export const value: string = 'v${k}';\n`), errors: [wrong] },
    { step: write(app, main('string', n, `// ${k}\n`)), errors: [] },
    {
      step: write(app, main('string', n, `export const y: boolean = ${k};\n`)),
      errors: [`${app} Type 'number' is not assignable to type 'boolean'.`],
    },
    { step: shell(app, main('string', n, `// mended ${k}\n`)), errors: [] },
    {
      step: write(lib, `export const value: string = 'w${k}';\nexport const gone${k} = nowhere${k};\n`),
      errors: [`${lib} Cannot find name 'nowhere${k}'.`],
    },
    {
      step: shell(lib, `export const value: number = ${k};\n`),
      errors: [`${app} Type 'number' is not assignable to type 'string'.`],
    },
  ];
  return Array.from({ length: Math.ceil(count / 7) }, (_, k) => cycle(k + 1))
    .flat()
    .slice(0, count);
}

/** The errors that a result reports for the files of a session. */
function reported(text: string, n: number): string[] {
  return [...text.matchAll(/^((?:app|lib)(\d+)\/\S+?):\d+:\d+ error: (.*) \(ts \d+\)$/gm)]
    .filter(([, , owner]) => Number(owner) === n)
    .map(([, file, , message]) => `${file} ${message}`);
}

/** Processes that run this very server in the folder. */
async function serversIn(root: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const [program = ''] = line.split('\0');
      return cwd === root && line.includes('--lsp') && path.basename(program) === 'node';
    }),
  );
  return found.filter(Boolean).length;
}

test(`${EDITS} edits by ${SESSIONS} sessions, a third by commands: nothing stale, one server`, {
  timeout: 1_800_000,
}, async () => {
  const space = await workspace(repository());
  await installTypeScript(space);
  const facts = { results: 0, known: 0, stale: [] as string[], missed: [] as string[] };
  const waits: number[] = [];
  const servers: number[] = [];

  /** Opens a session; the result runs its edits. */
  const open = async (n: number) => {
    const edits = editsOf(n, Math.ceil(EDITS / SESSIONS));
    const model = await serve([
      ...edits.map(({ step }) => step),
      ...Array.from({ length: 5 }, () => says('done')),
    ]);
    const { model: name, env } = doors.anthropic(model.url);
    const agent = await createAgent({
      cwd: space.root,
      env: cleanEnv(space, env),
      model: name,
      trust: true,
      permissions: { mode: 'auto' },
      settings: { maxTurns: 1_000, undoLimitMb: 64 },
    });
    onTestFinished(() => agent.close());
    return { n, agent, edits };
  };
  const play = async ({ n, agent, edits }: Awaited<ReturnType<typeof open>>) => {
    let at = 0;
    let before: readonly string[] | null = null;
    for await (const event of agent.run('go')) {
      if (event.type === 'tool_end' && event.name !== 'Read') waits.push(event.durationMs);
      if (event.type !== 'message' || event.message.role !== 'tool') continue;
      if (event.message.name === 'Read') continue;
      const text = event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const truth = edits[at]?.errors ?? [];
      const found = reported(text, n);
      const isKnown = !text.includes('is not known');
      facts.results += 1;
      if (isKnown) facts.known += 1;
      for (const error of found) if (!truth.includes(error)) facts.stale.push(`edit ${at} of ${n}: ${error}`);
      const news = before && truth.filter((error) => !before?.includes(error));
      if (isKnown && news)
        for (const error of news)
          if (!found.includes(error)) facts.missed.push(`edit ${at} of ${n}: ${error}`);
      before = isKnown ? truth : null;
      if (at++ % 10 === 5) servers.push(await serversIn(space.root));
    }
    expect(at).toBe(edits.length);
  };
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => open(n)));
  // All are open; one works at a time, so that the errors of the whole repository are known at each step.
  for (const session of sessions) await play(session);

  const sorted = waits.toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const { results, known, stale, missed } = facts;
  process.stderr.write(
    `${results} edits: ${known} known, ${results - known} unknown, ${stale.length} stale, ${missed.length} missed; call with its wait: p50 ${share(0.5)} ms, p95 ${share(0.95)} ms, max ${sorted.at(-1)} ms; servers: ${Math.max(...servers)}\n`,
  );
  expect({ stale, missed }).toEqual({ stale: [], missed: [] });
  expect(known).toBeGreaterThan(0);
  expect(new Set(servers.filter((count) => count > 0))).toEqual(new Set([1]));
});
