import { createAgent } from '../../src/api/create-agent.ts';
import { cleanEnv, doors } from './aca.ts';
import { installTypeScript } from './diagnostics.ts';
import { calls, type Step, says } from './model-server/script.ts';
import { startModelServer } from './model-server/server.ts';
import { type WhenDone, type Workspace, workspace } from './workspace.ts';

const options = { composite: true, strict: true, rootDir: '.', outDir: '../out', module: 'nodenext' };
const main = (type: string, n: number, more = '') =>
  `import { value } from '../lib${n}/value.ts';\nexport const x: ${type} = value;\n${more}`;

/** A repository of project references: one library and one program for each session. */
function repository(sessions: number): Record<string, string> {
  const numbers = Array.from({ length: sessions }, (_, n) => n);
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

type EditOptions = {
  sessions: number;
  edits: number;
  /** How long a run waits for the server. */
  limitMs: number;
  whenDone: WhenDone;
  /** Gives the project a language server; without it, the one of this repository's TypeScript. */
  install?(space: Workspace): Promise<void>;
  /** Called now and then while they work. */
  watch?(root: string): Promise<void>;
};

/** What the sessions were told about their edits, and how long each call took with its wait. */
export type EditFacts = {
  results: number;
  known: number;
  stale: string[];
  missed: string[];
  waits: number[];
};

/** Sessions of one process edit a repository of project references at the same time, a third by commands. */
export async function playEdits(options: EditOptions): Promise<EditFacts> {
  const { sessions, edits: count, limitMs, whenDone, watch = async () => undefined } = options;
  const { install = installTypeScript } = options;
  const space = await workspace(repository(sessions), whenDone);
  await install(space);
  const facts: EditFacts = { results: 0, known: 0, stale: [], missed: [], waits: [] };

  /** Opens a session; the result runs its edits. */
  const open = async (n: number) => {
    const edits = editsOf(n, Math.ceil(count / sessions));
    const steps = edits.map(({ step }) => step);
    const model = await startModelServer([...steps, ...Array.from({ length: 5 }, () => says('done'))]);
    whenDone(() => model.close());
    const { model: name, env } = doors.anthropic(model.url);
    const agent = await createAgent({
      cwd: space.root,
      env: cleanEnv(space, env),
      model: name,
      trust: true,
      permissions: { mode: 'auto' },
      settings: { maxTurns: 1_000, undoLimitMb: 64, languageServers: { limitMs } },
    });
    whenDone(() => agent.close());
    return { n, agent, edits };
  };
  const play = async ({ n, agent, edits }: Awaited<ReturnType<typeof open>>) => {
    let at = 0;
    let before: readonly string[] | null = null;
    for await (const event of agent.run('go')) {
      if (event.type === 'tool_end' && event.name !== 'Read') facts.waits.push(event.durationMs);
      if (event.type !== 'message' || event.message.role !== 'tool') continue;
      if (event.message.name === 'Read') continue;
      const text = event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      before = learn(facts, { n, at, text, truth: edits[at]?.errors ?? [], before });
      if (at++ % 10 === 5) await watch(space.root);
    }
    if (at !== edits.length) throw new Error(`Session ${n} made ${at} of ${edits.length} edits.`);
  };
  const opened = await Promise.all(Array.from({ length: sessions }, (_, n) => open(n)));
  await Promise.all(opened.map(play));
  return facts;
}

type Told = { n: number; at: number; text: string; truth: string[]; before: readonly string[] | null };

/** Compares what a session was told after an edit with what is true. Returns that; null if it does not know. */
function learn(facts: EditFacts, { n, at, text, truth, before }: Told): readonly string[] | null {
  const found = reported(text, n);
  // A file of another session that changed during a command of this one may be unknown: nothing depends on it here.
  const unknown = [...text.matchAll(/^Whether (.*) has errors now is not known/gm)].join();
  const isKnown = !new RegExp(`\\b(app|lib)${n}/`).test(unknown);
  facts.results += 1;
  if (isKnown) facts.known += 1;
  for (const error of found) if (!truth.includes(error)) facts.stale.push(`edit ${at} of ${n}: ${error}`);
  const news = before && truth.filter((error) => !before.includes(error));
  if (isKnown && news)
    for (const error of news) if (!found.includes(error)) facts.missed.push(`edit ${at} of ${n}: ${error}`);
  return isKnown ? truth : null;
}
