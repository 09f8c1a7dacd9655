import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import type { Terminal } from '../frontends/shared/terminal.ts';
import { CodeLoader } from '../lib/code-loader.ts';
import { CodeStore } from '../lib/code-store.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { StartupTrace } from '../lib/startup-trace.ts';

/** Put in by the build: the version, the file that holds run.ts, those of the screen in the order of their need, and a fingerprint of each file of code by its name. */
declare const ACA_VERSION: string;
declare const APP_FILE: string;
declare const SCREEN_FILES: readonly string[];
declare const CODE_FINGERPRINTS: Record<string, string>;

/** By then the start is over; a conversation that goes on for hours need not end well for its start to be kept. */
const SETTLED_MS = 2000;

/** What the build puts in the place of `run.ts`: the same, out of files whose compiled code is kept. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  const root = dataRoot(terminal.env);
  const trace = traceOf(terminal);
  const kind = terminal.stdin.isTTY && terminal.stdout.isTTY ? 'screen' : 'run';
  // The engine would let garbage grow to several times what is used; a conversation may be open all day. Before
  // anything is loaded: code that was kept under other flags is refused.
  if (kind === 'screen') setFlagsFromString('--heap-growing-percent=50');
  const code = new CodeLoader({
    root: __dirname,
    fingerprints: CODE_FINGERPRINTS,
    store: storeOf(terminal, { root, kind }),
    require,
    ...(trace && { onLoad: (name, ms) => trace.loaded(name, ms) }),
  });
  // Asking for help leaves no trace on a fresh machine, and what is being removed is not made again.
  const save = () => args[0] !== 'uninstall' && existsSync(root) && code.save();
  if (terminal.early) await loadBreathing(code, terminal.early);
  // The build puts run.ts there.
  const app = code.load(APP_FILE) as typeof import('./run.ts');
  setTimeout(save, SETTLED_MS).unref();
  const traced = trace ? { ...terminal, mark: (what: string) => trace.mark(what) } : terminal;
  const exitCode = await app.run(args, traced);
  save();
  return exitCode;
}

/** Asked for by `AI_ASSISTANT_STARTUP_TRACE`: told at the end, to a file or to standard error. */
function traceOf({ env, stderr, early }: Terminal): StartupTrace | null {
  const { AI_ASSISTANT_STARTUP_TRACE: wanted } = env;
  if (!wanted || wanted === '0') return null;
  const trace = new StartupTrace(() => performance.now());
  trace.mark(early ? 'first prompt painted' : 'program begun');
  process.on('exit', () => {
    const contents = path.join(__dirname, 'chunks', 'contents.json');
    const table = trace.table(JSON.parse(readFileSync(contents, 'utf8')));
    if (wanted === '1') stderr.write(table);
    else writeFileSync(wanted, table);
  });
  return trace;
}

/** Somebody may be typing: what is typed appears between two files. */
async function loadBreathing(code: CodeLoader, early: NonNullable<Terminal['early']>): Promise<void> {
  for (const file of SCREEN_FILES) {
    await early.breathe();
    code.load(file);
  }
  await early.breathe();
}

/**
 * Each kind of run keeps its own: they call other functions, and have other flags. The runtime's own variables for such
 * caches count here, too.
 */
function storeOf(
  { env }: Terminal,
  { root, kind }: { root: string; kind: 'screen' | 'run' },
): CodeStore | null {
  if (env.NODE_DISABLE_COMPILE_CACHE) return null;
  const { version, platform, arch } = process;
  const home = env.NODE_COMPILE_CACHE
    ? path.resolve(env.NODE_COMPILE_CACHE, 'ai-code-assistant')
    : path.join(root, 'cache', 'code');
  return new CodeStore(home, `${ACA_VERSION}-node-${version}-${platform}-${arch}-${kind}`);
}
