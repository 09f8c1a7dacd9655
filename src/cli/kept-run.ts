import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { CodeLoader } from '../lib/code-loader.ts';
import { CodeStore } from '../lib/code-store.ts';
import { dataRoot } from '../lib/data-root.ts';
import type { Terminal } from './terminal.ts';

/** Put in by the build: the version, the file that holds run.ts, and a fingerprint of each file of code by its name. */
declare const ACA_VERSION: string;
declare const APP_FILE: string;
declare const CODE_FINGERPRINTS: Record<string, string>;

/** By then the start is over; a conversation that goes on for hours need not end well for its start to be kept. */
const SETTLED_MS = 2000;

/** What the build puts in the place of `run.ts`: the same, out of files whose compiled code is kept. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  const root = dataRoot(terminal.env);
  const code = new CodeLoader({
    root: __dirname,
    fingerprints: CODE_FINGERPRINTS,
    // The runtime's own switch for such caches counts here, too.
    store: terminal.env.NODE_DISABLE_COMPILE_CACHE ? null : storeIn(root),
    require,
  });
  // Asking for help leaves no trace on a fresh machine.
  const save = () => existsSync(root) && code.save();
  // The build puts run.ts there.
  const app = code.load(APP_FILE) as typeof import('./run.ts');
  setTimeout(save, SETTLED_MS).unref();
  const exitCode = await app.run(args, terminal);
  save();
  return exitCode;
}

function storeIn(root: string): CodeStore {
  const { version, platform, arch } = process;
  return new CodeStore(
    path.join(root, 'cache', 'code'),
    `${ACA_VERSION}-node-${version}-${platform}-${arch}`,
  );
}
