import path from 'node:path';
import { readSource, type Source } from './architecture-source.ts';

/** `message` says what to do. */
export type Violation = { file: string; rule: string; message: string };

const COMPONENTS = [
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
  'language-servers',
  'voice',
];

const FRONTENDS = ['acp', 'plain', 'print', 'terminal'].map((name) => `frontends/${name}`);

/** Gives other frontends to remote clients. */
const SERVER = 'frontends/server';

/** Modules by layer, lowest first. A module imports from lower layers only, never from its own. */
const LAYERS: string[][] = [
  ['lib'],
  ['contract'],
  COMPONENTS,
  ['agent'],
  ['commands'],
  ['assembly'],
  ['app'],
  ['api', 'fleet', 'frontends/shared'],
  FRONTENDS,
  [SERVER],
  ['cli'],
  ['index'],
];

const layerOf = new Map(LAYERS.flatMap((modules, layer) => modules.map((name) => [name, layer] as const)));

/** These may access the process: its streams, environment and exit. */
const PROCESS_OWNERS = ['cli', 'frontends/shared', ...FRONTENDS, SERVER];

/** Folders with a flat list of peers. */
const FLAT_LISTS = ['src/commands', 'src/tools'];
const MAX_FILES = 25;

/** Only their types are used, to describe the wire format; their code is not in the program. */
const VENDORS = /^(@anthropic-ai\/|openai(\/|$)|@google\/genai|ollama(\/|$))/;

/** Packages that must not be loaded before they are used. */
const HEAVY = new RegExp(
  '^(undici|ajv|@napi-rs/keyring|@modelcontextprotocol/|@agentclientprotocol/|node-llama-cpp|' +
    'uqr|selfsigned|web-tree-sitter|@hyzyla/pdfium|@silvia-odwyer/|htmlparser2|pino|prom-client|@opentelemetry/|ioredis|bullmq|@aws-sdk/|chokidar|gpt-tokenizer|minisearch|highlight\\.js|shiki|hono|@hono/|ws|vscode-jsonrpc|vscode-languageserver-)(/|$|[a-z])',
);

/** Which of our modules may import a package or a runtime module. */
const BANS: { rule: string; module: RegExp; modules: string[]; instead: string }[] = [
  {
    rule: 'disk',
    module: /^(node:)?fs(\/|$)/,
    modules: [
      'sandbox',
      'session',
      'memory',
      'embedded',
      'mcp',
      'cache',
      'config',
      'language-servers',
      'observability',
      'lib',
      'app',
      'fleet',
      ...FRONTENDS,
      SERVER,
      'frontends/shared',
      'cli',
    ],
    instead: 'take `files` or the value itself as an argument',
  },
  {
    rule: 'spawn',
    module: /^((node:)?(child_process|cluster)|execa|cross-spawn|@lydell\/node-pty)(\/|$)/,
    modules: ['sandbox', 'mcp', 'embedded'],
    instead: 'take `shell` as an argument',
  },
  {
    rule: 'runtime',
    module: /^node-llama-cpp(\/|$)/,
    modules: ['embedded'],
    instead: 'ask the Provider that src/embedded makes',
  },
  {
    rule: 'thread',
    module: /^(node:)?worker_threads$/,
    modules: [],
    instead: 'start a process: a thread that runs native code cannot be ended',
  },
  {
    rule: 'vendor',
    module: VENDORS,
    modules: ['providers'],
    instead: 'speak the contract and leave vendor shapes in src/providers',
  },
  {
    rule: 'network',
    module: /^((node:)?(https?|http2|net|tls|dgram)|undici)(\/|$)/,
    modules: [...layerOf.keys()].filter((name) => name !== 'tools'),
    instead: 'use `web` of the ToolContext: a tool has no other way out',
  },
];

const PROCESS_BANS: { name: string; modules: string[]; instead: string }[] = [
  ...['stdin', 'stdout', 'stderr', 'exit'].map((name) => ({
    name,
    modules: PROCESS_OWNERS,
    instead: 'return a value or emit an event; a frontend prints it',
  })),
  ...['env', 'argv', 'cwd', 'chdir'].map((name) => ({
    name,
    modules: ['cli', 'api'],
    instead: 'take the value as an argument; the cli passes it in',
  })),
];

const CEILINGS: [match: RegExp, lines: number][] = [
  [/^src\/agent\/loop\.ts$/, 120],
  [/^src\/agent\/controller\.ts$/, 250],
  [/./, 400],
];

const PROGRAM = /^src\/.*(?<!\.test)\.tsx?$/;

/** Calls that fail in rare places, and what to use instead. */
const BANNED_CALLS: { rule: string; files: RegExp; call: RegExp; instead: string }[] = [
  {
    rule: 'timeout',
    files: PROGRAM,
    call: /AbortSignal\.timeout\(/,
    instead: 'uses AbortSignal.timeout, which may never come; use `limited` of lib/async/abort.ts',
  },
  {
    rule: 'recursion',
    files: PROGRAM,
    call: /\bmkdir(?:Sync)?\([^;]*?\brecursive: true/,
    instead: 'uses mkdir with recursive, which never returns below /proc; use lib/files/make-folder.ts',
  },
  {
    rule: 'recursion',
    files: /./,
    call: /\{(?=[^{}]*\brecursive: true)(?=[^{}]*\bwithFileTypes: true)[^{}]*\}/,
    instead: 'uses readdir with recursive, which follows links since Node 22; use lib/files/files-below.ts',
  },
];

const ATOMIC_WRITE = 'src/lib/files/atomic-write.ts';

/**
 * Files written completely by one process, under its own lock or because the previous content does not
 * matter.
 */
const WHOLE_FILE_WRITERS = [
  'src/lib/files/file-update.ts',
  'src/assembly/models/model-profiles.ts',
  'src/assembly/session/keep-output.ts',
  'src/embedded/runtime/install-runtime.ts',
  'src/fleet/batch/batch-store.ts',
  'src/frontends/server/sessions/accepted-prompts.ts',
  'src/sandbox/confine/choose.ts',
  'src/session/bundle/import-bundle.ts',
  'src/session/store.ts',
  'src/session/undo/tree-index.ts',
];

/** Programs of their own, in browsers and editors: they talk to ours through a protocol. */
const CLIENTS = /^(web|editors)\//;

const LISTS = ['src/index.ts', 'src/providers/index.ts', 'src/tools/index.ts', 'src/commands/index.ts'];
const MAIN = 'src/cli/main.ts';

/**
 * Checks a tree: a map from paths, relative to the repository root with forward slashes, to file contents.
 */
export function checkArchitecture(files: ReadonlyMap<string, string>): Violation[] {
  const sources = new Map([...files].map(([file, text]) => [file, readSource(file, text)]));
  const perFile = [...sources].flatMap(([file, source]) => [
    ...source.errors.map((error) => violation(file, 'syntax', `cannot be parsed: ${error}`)),
    ...checkShape(file, files.get(file) ?? ''),
    ...(source.mocks
      ? [violation(file, 'mock', 'uses vi.mock; pass the part in as an argument instead')]
      : []),
    ...(file.startsWith('src/') ? checkModule(file, source) : []),
    ...(CLIENTS.test(file) && !isTestFile(file) ? checkClient(file, source) : []),
  ]);
  return [...perFile, ...checkFolders([...files.keys()]), ...checkCycles(sources), ...checkStart(sources)];
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
    ...BANNED_CALLS.filter(({ files, call }) => files.test(file) && call.test(text)).map(
      ({ rule, instead }) => violation(file, rule, instead),
    ),
    base === 'index' &&
      file.startsWith('src/') &&
      !LISTS.includes(file.replace('.test.', '.')) &&
      violation(file, 'index', 'is an index.ts that is no list of members; import the files themselves'),
  ].filter((found) => typeof found === 'object');
}

function checkModule(file: string, source: Source): Violation[] {
  const module = moduleOf(file);
  const layer = layerOf.get(module);
  if (layer === undefined) {
    return [violation(file, 'module', `is in "${module}", which has no layer yet; add it to LAYERS first`)];
  }
  const isTest = isTestFile(file);
  const layers = source.imports.flatMap(({ from }) => {
    const target = resolveImport(file, from);
    if (target === null || (isTest && target.startsWith('test/support/'))) return [];
    if (!target.startsWith('src/')) {
      return [violation(file, 'outside', `imports ${target}; src/ imports nothing outside src/`)];
    }
    const other = moduleOf(target);
    if (other === module || (layerOf.get(other) ?? Number.POSITIVE_INFINITY) < layer) return [];
    const where = layerOf.get(other) === layer ? 'another module of its own layer' : 'a layer above it';
    return [violation(file, 'layer', `imports ${target}, ${where}; take what it needs as an argument`)];
  });
  // Tests use real folders, processes and environments.
  if (isTest) return layers;
  const packages = source.imports.flatMap(({ from }) =>
    BANS.filter((ban) => ban.module.test(from) && !ban.modules.includes(module)).map((ban) =>
      violation(file, ban.rule, `imports ${from}; ${ban.instead}`),
    ),
  );
  const vendors = source.imports
    .filter(({ from, held, dynamic }) => module === 'providers' && VENDORS.test(from) && (held || dynamic))
    .map(({ from }) => violation(file, 'vendor', `loads ${from}; import nothing but its types`));
  const globals = PROCESS_BANS.filter(
    ({ name, modules }) => source.processUses.has(name) && !modules.includes(module),
  ).map(({ name, instead }) => violation(file, 'process', `touches process.${name}; ${instead}`));
  const writesAlone = source.imports.some(({ from }) => resolveImport(file, from) === ATOMIC_WRITE);
  const shared =
    writesAlone && !WHOLE_FILE_WRITERS.includes(file)
      ? [violation(file, 'shared', 'uses writeAtomic; change what processes share inside `updateFile`')]
      : [];
  return [...layers, ...packages, ...vendors, ...globals, ...shared];
}

/** Names of methods and types, for every client. */
const PROTOCOL = /^src\/frontends\/(acp\/extension|server\/server|server\/owner)-methods\.ts$/;

/** How programs reach a server; no part of it is for browsers. */
const CONNECTIONS = /^src\/frontends\/server\/(server-socket|pinned-certificate|server-address)\.ts$/;

function checkClient(file: string, source: Source): Violation[] {
  const isProgram = file.startsWith('editors/vscode/src/');
  const isLoaded = (target: string | null | undefined) =>
    target?.startsWith('src/') && !PROTOCOL.test(target) && !(isProgram && CONNECTIONS.test(target));
  return source.imports
    .filter(({ from, held, dynamic }) => (held || dynamic) && isLoaded(resolveImport(file, from)))
    .map(({ from }) => violation(file, 'browser', `loads ${from}; import nothing of src/ but types`));
}

/** Tests do not count. */
function checkFolders(files: readonly string[]): Violation[] {
  const sizes = new Map<string, number>();
  for (const file of files.filter((name) => /^(src|web|editors)\//.test(name) && !isTestFile(name))) {
    const folder = path.posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([folder, size]) => size > MAX_FILES && !FLAT_LISTS.includes(folder))
    .map(([folder, size]) =>
      violation(folder, 'crowded', `has ${size} files; group them in folders of at most ${MAX_FILES}`),
    );
}

/** Import cycles, including type-only imports; an `import()` runs later and does not count. */
function checkCycles(sources: ReadonlyMap<string, Source>): Violation[] {
  const imports = new Map(
    [...sources]
      .filter(([file]) => file.startsWith('src/') && !isTestFile(file))
      .map(([file, { imports: all }]) => [
        file,
        all.filter(({ dynamic }) => !dynamic).map(({ from }) => resolveImport(file, from)),
      ]),
  );
  const done = new Set<string>();
  const found: Violation[] = [];
  const visit = (file: string, way: string[]) => {
    const start = way.indexOf(file);
    if (start !== -1) {
      const circle = [...way.slice(start), file].join(' -> ');
      found.push(
        violation(file, 'cycle', `imports itself: ${circle}; move what they share into a file below`),
      );
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) if (target !== null) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

/** What the program loads before it knows what the user wants. */
function checkStart(sources: ReadonlyMap<string, Source>): Violation[] {
  const main = sources.get(MAIN)?.imports ?? [];
  const early = main
    .filter(({ from, held }) => held && !from.startsWith('node:'))
    .map(({ from }) =>
      violation(MAIN, 'start', `imports ${from} before the fast paths; import() it when it is needed`),
    );
  const lazy = main.filter(({ dynamic }) => dynamic).map(({ from }) => resolveImport(MAIN, from) ?? from);
  const parts = [...sources.keys()].filter((file) => /^src\/(assembly|index)(\/|\.ts$)/.test(file));
  const queue = [MAIN, ...lazy, ...parts.filter((file) => !file.endsWith('.test.ts'))];
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

function moduleOf(file: string): string {
  const [, name = '', inner = ''] = file.split('/');
  return name === 'frontends' ? `${name}/${inner}` : name.replace(/\.tsx?$/, '');
}

function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

/** Null for a package or a runtime module. */
function resolveImport(file: string, from: string): string | null {
  return from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : null;
}
