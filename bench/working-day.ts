/**
 * A working day with one conversation: `npm run bench:working-day`. With `--before DIR`, another built checkout of this
 * repository, its earlier version spends the same day. `--record` appends the table to bench/results.md.
 *
 * The vendor enforces its rules of today. Between prompts, instruction files change, folders and servers are added, modes
 * and models are switched, the conversation is compacted, and the user pauses. Each prompt is a process of its own. What
 * the vendor rejects is asked again in a new conversation, as a user would have to. Tokens and money are those of a
 * prompt cache that works as Anthropic documents it.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { infoOf } from '../src/providers/models/models.ts';
import { published } from '../test/support/mcp.ts';
import { type Json, record, records } from '../test/support/model-server/protocol.ts';
import { calls, type Step, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import { publish } from './publish.ts';

const MODEL = 'anthropic/claude-sonnet-5-5';
const OTHER_MODEL = 'anthropic/claude-opus-5-5';
const ROUNDS = 3;
const MINUTE = 60_000;
const CHARACTERS_PER_TOKEN = 3.5;

type Day = { root: string; home: string };
/** `after`: minutes since the last prompt. `args` stay for the rest of the day. */
type Part = {
  after: number;
  prompts: string[];
  args?: string[];
  once?: string[];
  before?(day: Day): Promise<void>;
};

const writes = (name: string, text: string) => (day: Day) => writeFile(path.join(day.root, name), text);

const day: Part[] = [
  { after: 0, prompts: ['why do the tests of the parser fail?'] },
  { after: 2, prompts: ['fix it'] },
  { after: 3, prompts: ['go on'], before: writes('AGENTS.md', '# Rules\n\n- Tabs.\n- Short functions.\n') },
  { after: 1, prompts: ['and the other test'] },
  { after: 14, prompts: ['what is left?'] },
  { after: 2, prompts: ['do it'] },
  { after: 9, prompts: ['look there, too'], args: ['--add-dir', tmpdir()] },
  { after: 1, prompts: ['compare them'] },
  { after: 3, prompts: ['plan the next step'], once: ['--mode', 'plan'] },
  { after: 2, prompts: ['carry it out'] },
  { after: 22, prompts: ['I was in a meeting: where are we?'] },
  { after: 2, prompts: ['good, next'] },
  {
    after: 1,
    prompts: ['use the new server'],
    args: ['--mcp-config', JSON.stringify({ mcpServers: { every: published('everything') } })],
  },
  { after: 2, prompts: ['and again'] },
  { after: 1, prompts: ['/compact', 'now the second half'] },
  { after: 2, prompts: ['go on'] },
  { after: 2, prompts: ['go on'] },
  { after: 55, prompts: ['back from lunch'] },
  { after: 2, prompts: ['think harder'], once: ['--effort', 'high'] },
  { after: 1, prompts: ['go on'] },
  { after: 2, prompts: ['what would the larger model say?'], once: ['--model', OTHER_MODEL] },
  { after: 2, prompts: ['go on'] },
  { after: 1, prompts: ['the password is tr0ub4dor-Zq81'] },
  { after: 2, prompts: ['go on'], before: writes('.env', 'PASSWORD=tr0ub4dor-Zq81\n') },
  { after: 3, prompts: ['go on'] },
  { after: 12, prompts: ['summarize the day'] },
];

async function play(program: string, createdAt: string) {
  const root = await mkdtemp(path.join(tmpdir(), 'aca-day-'));
  const home = await mkdtemp(path.join(tmpdir(), 'aca-home-'));
  const here = { root, home };
  for (let i = 0; i < ROUNDS; i++)
    await writeFile(
      path.join(root, `part${i}.ts`),
      `export const part${i} = '${'lorem ipsum '.repeat(700)}';\n`,
    );
  await writeFile(path.join(root, 'AGENTS.md'), '# Rules\n\n- Tabs.\n');
  const clock = path.join(home, 'clock');
  let round = 0;
  const script: Step = ({ body, messages }) => {
    const isSummary = (messages.at(-1)?.text ?? '').startsWith('Below ') || body.compaction !== undefined;
    if (isSummary) return says('[Completed: the first half]\n[Open: the second half]');
    const at = round++;
    return at < ROUNDS
      ? calls(['Read', { file_path: `part${at}.ts` }])
      : says(`Done. ${'That is how it works. '.repeat(40)}`);
  };
  const server = await startModelServer([script], {
    ...{ enforce: 'all', thinks: true, loop: true },
    degrades: 'they are counted',
    account: { id: 'org_day', createdAt },
  });
  const sentAt: number[] = [];
  let now = 0;
  let continues = false;
  let lost = 0;
  let failed = 0;
  const args: string[] = [];
  for (const part of day) {
    now += part.after * MINUTE;
    await writeFile(clock, String(now));
    await part.before?.(here);
    args.push(...(part.args ?? []));
    const model = part.once?.includes('--model') ? [] : ['--model', MODEL];
    const ask = async (own: string[]) => {
      round = 0;
      const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
      const flags = ['-p', ...formats, ...model, ...args, ...(part.once ?? []), ...own];
      const stdin = part.prompts.map((text) => `${JSON.stringify({ type: 'user', text })}\n`).join('');
      const before = server.refusals.length;
      if ((await run(program, flags, { ...here, clock, stdin, url: server.url })) !== 0) failed += 1;
      while (sentAt.length < server.requests.length) sentAt.push(now);
      return server.refusals.length === before;
    };
    if (await ask(continues ? ['--continue'] : [])) continues = true;
    else {
      lost += 1;
      continues = await ask([]);
    }
  }
  const { requests, refusals, degradations } = server;
  await server.close();
  await Promise.all([root, home].map((folder) => rm(folder, { recursive: true, force: true })));
  const accepted = requests.flatMap((request, i) =>
    request.refused === undefined ? [{ body: request.body, at: sentAt[i] ?? 0 }] : [],
  );
  const billed = bill(accepted);
  const input = billed.full + billed.written + billed.writtenForAnHour + billed.read;
  return {
    requests: requests.length,
    rejected: refusals.length,
    'conversations lost': lost,
    'runs that failed': failed,
    degraded: degradations.length,
    'input tokens': input,
    'in full or written': input - billed.read,
    'from the cache': billed.read,
    'from the cache, %': Math.round((100 * billed.read) / input),
    'cost of input, $': Number(costOf(billed).toFixed(3)),
  };
}

type Launch = Day & { clock: string; stdin: string; url: string };

function run(
  program: string,
  args: string[],
  { root, home, clock, stdin, url }: Launch,
): Promise<number | null> {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ANTHROPIC_BASE_URL: url,
    ACA_CLOCK_FILE: clock,
    NODE_OPTIONS: `--require ${path.join(import.meta.dirname, '../test/support/clock.cjs')}`,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', reject);
    child.on('close', resolve);
    child.stdin.end(stdin);
  });
}

type Billed = { full: number; written: number; writtenForAnHour: number; read: number };

/** Reads at most 20 blocks before a breakpoint what an earlier request wrote, and writes up to the last breakpoint. */
function bill(requests: readonly { body: Json; at: number }[]): Billed {
  const sum: Billed = { full: 0, written: 0, writtenForAnHour: 0, read: 0 };
  const kept = new Map<string, { until: number; lifetime: number }>();
  for (const { body, at } of requests) {
    const blocks = blocksOf(body);
    const marked = blocks.flatMap(({ lifetime }, i) => (lifetime ? [i] : []));
    const hit = Math.max(
      -1,
      ...marked.flatMap((mark) =>
        Array.from({ length: 20 }, (_, back) => mark - back).filter(
          (i) => i >= 0 && (kept.get(blocks[i]?.prefix ?? '')?.until ?? -1) >= at,
        ),
      ),
    );
    const end = marked.at(-1) ?? -1;
    for (const [i, { tokens }] of blocks.entries()) {
      const next = blocks.slice(i).find(({ lifetime }) => lifetime);
      if (i <= hit) sum.read += tokens;
      else if (i > end) sum.full += tokens;
      else if (next?.lifetime === 60 * MINUTE) sum.writtenForAnHour += tokens;
      else sum.written += tokens;
    }
    const found = kept.get(blocks[hit]?.prefix ?? '');
    if (found) found.until = at + found.lifetime;
    for (const mark of marked) {
      const { prefix = '', lifetime = 0 } = blocks[mark] ?? {};
      kept.set(prefix, { until: at + lifetime, lifetime });
    }
  }
  return sum;
}

/** In the order in which the vendor reads them; `prefix` identifies all text up to a block's end. */
function blocksOf(body: Json): { prefix: string; tokens: number; lifetime?: number }[] {
  const messages = records(body.messages).flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : records(content),
  );
  let prefix = String(body.model);
  return [...records(body.tools), ...records(body.system), ...messages].map(({ cache_control, ...block }) => {
    const text = JSON.stringify(block);
    prefix = `${prefix.length}:${hash(prefix + text)}`;
    const mark = cache_control === undefined ? undefined : record(cache_control);
    const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    return { prefix, tokens, ...(mark && { lifetime: (mark.ttl === '1h' ? 60 : 5) * MINUTE }) };
  });
}

function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const unit of Buffer.from(text)) value = BigInt.asUintN(64, (value ^ BigInt(unit)) * 0x100000001b3n);
  return value.toString(36);
}

function costOf({ full, written, writtenForAnHour, read }: Billed): number {
  const { price } = infoOf('anthropic', 'claude-sonnet-5-5');
  if (!price) throw new Error('The model has no price.');
  const hour = price.cacheWriteHour ?? price.cacheWrite;
  return (
    (full * price.input + written * price.cacheWrite + writtenForAnHour * hour + read * price.cacheRead) / 1e6
  );
}

const { values } = parseArgs({ options: { before: { type: 'string' }, record: { type: 'boolean' } } });
const programs = {
  this: path.join(import.meta.dirname, '../dist/main.cjs'),
  ...(values.before !== undefined && { before: path.resolve(values.before, 'dist/main.cjs') }),
};
/** On older accounts, the vendor reports what does not fit, and accepts it. */
const accounts = { 'new account': '2026-11-01T00:00:00Z', 'old account': '2026-01-01T00:00:00Z' };
const columns: Record<string, Awaited<ReturnType<typeof play>>> = {};
for (const [name, program] of Object.entries(programs))
  for (const [account, createdAt] of Object.entries(accounts))
    columns[`${name}, ${account}`] = await play(program, createdAt);
const names = Object.keys(columns);
const figures = Object.values(columns);
const rows = Object.keys(figures[0] ?? {}) as (keyof Awaited<ReturnType<typeof play>>)[];
const table = [
  ['a working day', ...names],
  ['---', ...names.map(() => '---')],
  ...rows.map((row) => [row, ...figures.map((column) => column[row])]),
].map((cells) => `| ${cells.join(' | ')} |`);
await publish('Working day', table.join('\n'));
