import { userNetwork } from '../../app/opening/user-network.ts';
import { loadSettings } from '../../app/settings.ts';
import { npmSettings, withNpmCertificates } from '../../app/update/npm-settings.ts';
import { reportGpu } from '../../assembly/models/embedded-model.ts';
import { UserError } from '../../contract/errors.ts';
import { firstModel } from '../../embedded/models/curated.ts';
import { ModelStore } from '../../embedded/models/model-store.ts';
import { gpuName } from '../../embedded/runtime/gpu-words.ts';
import { DEFAULT_REGISTRY, installRuntime, planSetup } from '../../embedded/runtime/install-runtime.ts';
import { type Gpu, gpusOf } from '../../embedded/runtime/platform.ts';
import { installedRuntime } from '../../embedded/runtime/runtime-folder.ts';
import { thisMachine } from '../../embedded/runtime/this-machine.ts';
import { fileSize } from '../../lib/text/file-size.ts';
import { agree, refuseOffline } from './hub-model.ts';
import { withProgress } from './progress-line.ts';
import { shutdownSignal } from './signals.ts';
import type { Terminal } from './terminal.ts';

export type SetupOptions = {
  yes?: boolean;
  gpu?: string;
  force?: boolean;
  /** Stops it; by default, a signal to the program. */
  signal?: AbortSignal;
  /** Whether to print the next step; by default, if there is no model yet. */
  next?: 'none';
};

/** Installs the runtime, after a yes; does nothing if it is installed already. */
export async function setUpRuntime(
  { yes, gpu, force, signal: given, next }: SetupOptions,
  terminal: Terminal,
): Promise<void> {
  const { root, config } = loadSettings({}, terminal);
  const { env, stdout, stderr } = terminal;
  const plan = planSetup(root, thisMachine(env), gpuNamed(gpu));
  const installed = await installedRuntime(root);
  const isSame = installed?.packages.join() === plan.packages.join();
  const report = async () => {
    const gpus = gpusOf(plan.packages).map(gpuName);
    if (gpus.length > 0)
      stderr.write(`Trying ${gpus.join(' and ')}. The first time can take half a minute.\n`);
    stdout.write(`The runtime is installed: ${plan.folder}\n${await reportGpu(root, env)}\n`);
  };
  if (isSame && !force) return report();
  refuseOffline(config.offline, 'installed');
  const npm = npmSettings(env);
  const registry = npm.registry ?? DEFAULT_REGISTRY;
  const what = `llama.cpp for ${plan.packages.join(' and ')} (${gpuName(plan.gpu)}), ${fileSize(plan.bytes)} from ${new URL(registry).host}`;
  if (yes) stderr.write(`Installing ${what}.\n`);
  else await agree(`Install ${what} into ${plan.folder}?`, terminal);
  const signal = given ?? shutdownSignal(terminal);
  const { fetch } = await userNetwork(withNpmCertificates(config, npm), env);
  await withProgress('runtime', { signal, out: stderr }, (progress) =>
    installRuntime(plan, { registry, signal, fetch, ...progress }),
  );
  await report();
  if (next !== 'none' && (await new ModelStore(root).list()).length === 0)
    stderr.write(`Next, download a model: aca models pull ${firstModel.name}\n`);
}

function gpuNamed(name: string | undefined): Gpu | undefined {
  if (name === undefined) return undefined;
  if (name === 'cuda' || name === 'vulkan' || name === 'none' || name === 'metal') return name;
  throw new UserError(`Unknown GPU type "${name}".`, 'Use cuda, vulkan, metal or none.');
}
