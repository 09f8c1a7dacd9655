import { type InstalledRuntime, installedRuntime } from '../../src/embedded/runtime/runtime-folder.ts';
import { aca } from './aca.ts';
import { runtimeHome } from './embedded.ts';
import { type WhenDone, workspace } from './workspace.ts';

/**
 * The real runtime, installed as by the product, or left from an earlier run. Returns a message if the
 * registry is unreachable; any other failure is a bug in the product.
 */
export async function realRuntime(whenDone: WhenDone): Promise<InstalledRuntime | string> {
  const space = await workspace({}, whenDone);
  // The registry settings of the test environment.
  const { npm_config_registry: registry, NODE_EXTRA_CA_CERTS: own, SSL_CERT_FILE: system } = process.env;
  const certificates = own ?? system;
  const env = {
    AI_ASSISTANT_HOME: runtimeHome,
    ...(registry && { npm_config_registry: registry }),
    ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
  };
  const { code, stderr } = await aca(space, ['models', 'setup', '--yes'], { env });
  const found = await installedRuntime(runtimeHome);
  if (code === 0 && found) return found;
  if (/did not respond|connection to .* was lost/.test(stderr)) return stderr.trim().replaceAll('\n', ' ');
  throw new Error(stderr);
}
