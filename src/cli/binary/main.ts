import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { bridgeArgument, bridgeScript } from '../../sandbox/confine/bridge.ts';

/**
 * The entry of the standalone binary. There is no `node` beside it that could run a script, so the binary is started
 * once more for it: by a first argument that nobody types, or, by the runtime of embedded models, which tries its
 * native part in a process of its own, with the file that `node` would be given.
 */
const [, , first = ''] = process.argv;
if (first === bridgeArgument) {
  new Function('require', bridgeScript)(createRequire(import.meta.url));
} else if (process.env.TEST_BINDING_CP === 'true' && /[\\/]testBindingBinary\.js$/.test(first)) {
  await import(pathToFileURL(first).href);
} else {
  await import('../main.ts');
}
