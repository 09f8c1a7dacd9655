import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { workerArgument } from '../../embedded/worker-argument.ts';
import { bridgeArgument, bridgeScript } from '../../sandbox/confine/bridge.ts';

/**
 * The entry point of the standalone binary. There is no `node` next to it to run scripts, so the binary runs
 * itself again: with a special first argument, or, by the runtime of embedded models, which tests its native
 * module in another process, with the script that `node` would get.
 */
const [, , first = ''] = process.argv;
if (first === bridgeArgument) {
  new Function('require', bridgeScript)(createRequire(import.meta.url));
} else if (first === workerArgument) {
  await import('../../embedded/worker.ts');
} else if (process.env.TEST_BINDING_CP === 'true' && /[\\/]testBindingBinary\.js$/.test(first)) {
  await import(pathToFileURL(first).href);
} else {
  await import('../main.ts');
}
