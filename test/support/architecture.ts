import path from 'node:path';
import { readSource, type Source } from './architecture-source.ts';

/** `message` is a sentence that says what to do. */
export type Violation = { file: string; rule: string; message: string };

const ORGANS = [
  'providers',
  'embedded',
  'tools',
  'permissions',
  'sandbox',
  'firewall',
  'context',
  'session',
  'memory',
  'mcp',
  'plugins',
  'cache',
  'observability',
  'config',
];

/** Folders and files directly under src/, by floor. Rooms on one floor are strangers. */
const FLOORS = new Map<string, number>([
  ['lib', 1],
  ['contract', 2],
  ...ORGANS.map((name): [string, number] => [name, 3]),
  ['agent', 4],
  ['commands', 5],
  ['assembly', 6],
  ['cli', 7],
  ['api', 8],
  ['index', 9],
]);

const FACES = ['cli'];

const VENDORS = /^(@anthropic-ai\/|openai(\/|$)|@google\/genai|ollama(\/|$))/;

/** Packages that must not be loaded before somebody uses them. */
const HEAVY = new RegExp(
  `${VENDORS.source}|^(undici|ajv|@napi-rs/keyring|@modelcontextprotocol/|@agentclientprotocol/|node-llama-cpp|` +
    'web-tree-sitter|@hyzyla/pdfium|htmlparser2|pino|prom-client|@opentelemetry/|ioredis|chokidar|gpt-tokenizer|minisearch|highlight\\.js|shiki)(/|$|[a-z])',
);

/** Which rooms may import a module. The cli reads only files that its user named on the command line. */
const BANS: { rule: string; module: RegExp; rooms: string[]; instead: string }[] = [
  {
    rule: 'ink',
    module: /^(ink|react|react-dom|react-reconciler|ink-[\w-]+|@inkjs\/[\w-]+)(\/|$)/,
    rooms: ['cli'],
    instead: 'tell the face through an AgentEvent or a Display and draw it in src/frontends/terminal',
  },
  {
    rule: 'disk',
    module: /^(node:)?fs(\/|$)/,
    rooms: [
      'sandbox',
      'session',
      'memory',
      'embedded',
      'mcp',
      'cache',
      'config',
      'observability',
      'lib',
      'cli',
    ],
    instead: 'take `files` or the value itself as an argument',
  },
  {
    rule: 'spawn',
    module: /^((node:)?(child_process|cluster)|execa|cross-spawn|@lydell\/node-pty)(\/|$)/,
    rooms: ['sandbox', 'mcp'],
    instead: 'take `shell` as an argument',
  },
  {
    rule: 'runtime',
    module: /^node-llama-cpp(\/|$)/,
    rooms: ['embedded'],
    instead: 'ask the Provider that src/embedded makes',
  },
  {
    rule: 'thread',
    module: /^(node:)?worker_threads$/,
    rooms: ['embedded'],
    instead: 'leave threads to the rooms that have heavy work',
  },
  {
    rule: 'vendor',
    module: VENDORS,
    rooms: ['providers'],
    instead: 'speak the contract and leave vendor shapes in src/providers',
  },
  {
    rule: 'network',
    module: /^((node:)?(https?|http2|net|tls|dgram)|undici)(\/|$)/,
    rooms: [...FLOORS.keys()].filter((room) => room !== 'tools'),
    instead: 'use the hands in ToolContext: a tool has no others',
  },
];

const PROCESS_BANS: { name: string; rooms: string[]; instead: string }[] = [
  ...['stdin', 'stdout', 'stderr', 'exit'].map((name) => ({
    name,
    rooms: FACES,
    instead: 'return a value or yield an event; a face will print it',
  })),
  ...['env', 'argv', 'cwd', 'chdir'].map((name) => ({
    name,
    rooms: ['cli', 'api'],
    instead: 'take the value as an argument; the cli passes it in',
  })),
];

const CEILINGS: [match: RegExp, lines: number][] = [
  [/^src\/agent\/loop\.ts$/, 120],
  [/^src\/agent\/controller\.ts$/, 250],
  [/./, 400],
];

const LISTS = ['src/index.ts', 'src/providers/index.ts', 'src/tools/index.ts', 'src/commands/index.ts'];
const MAIN = 'src/cli/main.ts';

/** Holds the walls over a tree: paths from the repository's root, with forward slashes, to texts. */
export function checkHouse(files: ReadonlyMap<string, string>): Violation[] {
  const sources = new Map([...files].map(([file, text]) => [file, readSource(file, text)]));
  const perFile = [...sources].flatMap(([file, source]) => [
    ...source.errors.map((error) => violation(file, 'syntax', `cannot be parsed: ${error}`)),
    ...checkShape(file, files.get(file) ?? ''),
    ...(source.mocks
      ? [violation(file, 'mock', 'uses vi.mock; pass the part in as an argument instead')]
      : []),
    ...(file.startsWith('src/') ? checkRoom(file, source) : []),
  ]);
  return [...perFile, ...checkStart(sources)];
}

function checkShape(file: string, text: string): Violation[] {
  const base = path.posix.basename(file).replace(/\.(test\.)?tsx?$/, '');
  const lines = text.replace(/\n$/, '').split('\n').length;
  const ceiling = CEILINGS.find(([match]) => match.test(file))?.[1] ?? 400;
  const vague = base.match(/(^|-)(manager|helper|util|service)s?(-|$)/i)?.[2];
  return [
    lines > ceiling && violation(file, 'length', `has ${lines} lines; split it to at most ${ceiling}`),
    vague && violation(file, 'name', `is called a ${vague}; name it after what it does`),
    !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(base) && violation(file, 'name', 'is not kebab-case; rename it'),
    /^src\/.*(?<!\.test)\.tsx?$/.test(file) &&
      text.includes('AbortSignal.timeout(') &&
      violation(
        file,
        'timeout',
        'uses AbortSignal.timeout, which may never come; use `limited` of lib/async/abort.ts',
      ),
    base === 'index' &&
      file.startsWith('src/') &&
      !LISTS.includes(file.replace('.test.', '.')) &&
      violation(file, 'index', 'is an index.ts that is no list of members; import the files themselves'),
  ].filter((found) => typeof found === 'object');
}

function checkRoom(file: string, source: Source): Violation[] {
  const room = roomOf(file);
  const floor = FLOORS.get(room);
  if (floor === undefined) {
    return [
      violation(file, 'room', `lives in "${room}", which is no room of the house; add it to the plan first`),
    ];
  }
  const isTest = /\.test\.tsx?$/.test(file);
  const floors = source.imports.flatMap(({ from }) => {
    const target = resolveImport(file, from);
    if (target === null || (isTest && target.startsWith('test/support/'))) return [];
    if (!target.startsWith('src/')) {
      return [violation(file, 'outside', `imports ${target}; the house imports nothing outside src/`)];
    }
    const other = roomOf(target);
    if (other === room || (FLOORS.get(other) ?? Number.POSITIVE_INFINITY) < floor) return [];
    const way = FLOORS.get(other) === floor ? 'a stranger on its own floor' : 'a room above it';
    return [violation(file, 'floor', `imports ${target}, ${way}; take what it needs as an argument`)];
  });
  // A test uses a real folder, a real process and a real environment.
  if (isTest) return floors;
  const modules = source.imports.flatMap(({ from }) =>
    BANS.filter((ban) => ban.module.test(from) && !ban.rooms.includes(room)).map((ban) =>
      violation(file, ban.rule, `imports ${from}; ${ban.instead}`),
    ),
  );
  const globals = PROCESS_BANS.filter(
    ({ name, rooms }) => source.processUses.has(name) && !rooms.includes(room),
  ).map(({ name, instead }) => violation(file, 'process', `touches process.${name}; ${instead}`));
  return [...floors, ...modules, ...globals];
}

/** What the program loads before it knows what its user wants. */
function checkStart(sources: ReadonlyMap<string, Source>): Violation[] {
  const main = sources.get(MAIN)?.imports ?? [];
  const early = main
    .filter(({ from, held }) => held && !from.startsWith('node:'))
    .map(({ from }) =>
      violation(MAIN, 'start', `imports ${from} before the fast paths; import() it when it is needed`),
    );
  const lazy = main.filter(({ dynamic }) => dynamic).map(({ from }) => resolveImport(MAIN, from) ?? from);
  const rooms = [...sources.keys()].filter((file) => /^src\/(assembly|index)(\/|\.ts$)/.test(file));
  const queue = [MAIN, ...lazy, ...rooms.filter((file) => !file.endsWith('.test.ts'))];
  const seen = new Set<string>();
  const heavy: Violation[] = [];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { from, held } of sources.get(file)?.imports ?? []) {
      if (!held) continue;
      const target = resolveImport(file, from);
      if (target !== null) queue.push(target);
      else if (HEAVY.test(from)) {
        heavy.push(violation(file, 'heavy', `loads ${from} at start-up; import() it on first use`));
      }
    }
  }
  return [...early, ...heavy];
}

function violation(file: string, rule: string, message: string): Violation {
  return { file, rule, message: `${file} ${message}.` };
}

function roomOf(file: string): string {
  const room = (file.split('/')[1] ?? '').replace(/\.tsx?$/, '');
  return room === 'app' || room === 'frontends' ? 'cli' : room;
}

/** Null for a package or a module of the runtime. */
function resolveImport(file: string, from: string): string | null {
  return from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : null;
}
