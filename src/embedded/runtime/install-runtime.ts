import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { waitForLock } from '../../lib/files/wait-for-lock.ts';
import { download } from '../../lib/network/download.ts';
import { DownloadError, type RetryOptions } from '../../lib/network/download-retry.ts';
import { archiveUrl, type Pin, pinsFor } from './pins.ts';
import { type Gpu, type Machine, type PlatformParts, partsFor } from './platform.ts';
import { type InstalledRuntime, RUNTIME_MARK, runtimeFolder, runtimeIn } from './runtime-folder.ts';
import { unpack } from './unpack.ts';

export const DEFAULT_REGISTRY = 'https://registry.npmjs.org';

/** What `aca models setup` would do: shown before it runs. */
export type SetupPlan = PlatformParts & { folder: string; pins: Pin[]; bytes: number };

export type InstallOptions = RetryOptions & {
  registry: string;
  fetch?: typeof globalThis.fetch;
  progress?(progress: { done: number; total: number; bytesPerSecond: number }): void;
};

const AT_ONCE = 6;

/** Not unpacked: sources for building llama.cpp, which never happens here, and files only for editors. */
const UNWANTED = /(^|\/)gitRelease\.bundle$|\.d\.[cm]?ts$|\.map$/;

export function planSetup(dataRoot: string, machine: Machine, gpu?: Gpu): SetupPlan {
  const parts = partsFor(machine, gpu);
  if (!parts) {
    throw new UserError(
      `The embedded runtime is not available for ${machine.platform} on ${machine.arch}.`,
      'Start a model server instead (llama-server, Ollama, LM Studio); it is detected automatically.',
    );
  }
  const pins = pinsFor(parts.packages);
  const folder = runtimeFolder(dataRoot);
  return { ...parts, folder, pins, bytes: pins.reduce((sum, pin) => sum + pin.bytes, 0) };
}

/** Downloads and unpacks what is missing. Atomic: a runtime is installed completely or not at all. */
export async function installRuntime(plan: SetupPlan, options: InstallOptions): Promise<InstalledRuntime> {
  const downloads = `${plan.folder}.downloads`;
  const building = `${plan.folder}.building`;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const done = new Map<Pin, { done: number; bytesPerSecond: number }>();
  const notify = () => {
    const all = [...done.values()];
    options.progress?.({
      done: all.reduce((sum, one) => sum + one.done, 0),
      total: plan.bytes,
      bytesPerSecond: all.reduce((sum, one) => sum + one.bytesPerSecond, 0),
    });
  };

  async function fetchPin(pin: Pin): Promise<string> {
    const archive = path.join(downloads, `${pin.at.replaceAll(/[^\w.-]/g, '_')}-${pin.version}.tgz`);
    if (!existsSync(archive)) {
      const wanted = { url: archiveUrl(pin, options.registry), file: archive, sha512: pin.sha512 };
      await download(wanted, {
        ...options,
        signal,
        isReachable: done.size > 0,
        progress: ({ done: bytes, bytesPerSecond }) => {
          done.set(pin, { done: bytes, bytesPerSecond });
          notify();
        },
      });
    }
    done.set(pin, { done: pin.bytes, bytesPerSecond: 0 });
    notify();
    return archive;
  }

  let hasWaited = false;
  const lock = await waitForLock(plan.folder, {
    signal,
    waiting: () => {
      if (!hasWaited) options.waiting?.({ reason: 'Another process is installing it.', retry: null });
      hasWaited = true;
    },
  });
  const installed = hasWaited ? await runtimeIn(plan.folder) : null;
  if (installed?.packages.join() === plan.packages.join()) {
    lock.release();
    return installed;
  }
  let workers: Promise<void>[] = [];
  try {
    await rm(building, { recursive: true, force: true });
    const queue = plan.pins.toSorted((a, b) => b.bytes - a.bytes);
    const work = async () => {
      for (let pin = queue.shift(); pin; pin = queue.shift()) {
        signal.throwIfAborted();
        const folder = path.join(building, 'node_modules', pin.at);
        await unpack(await fetchPin(pin), folder, (name) => !UNWANTED.test(name));
      }
    };
    workers = Array.from({ length: AT_ONCE }, work);
    await Promise.all(workers);
    const mark = { packages: plan.packages };
    await writeAtomic(path.join(building, RUNTIME_MARK), `${JSON.stringify(mark)}\n`);
    await rm(plan.folder, { recursive: true, force: true });
    await rename(building, plan.folder);
    await rm(downloads, { recursive: true, force: true });
    return { folder: plan.folder, ...mark };
  } catch (error) {
    stop.abort();
    await Promise.allSettled(workers);
    await rm(building, { recursive: true, force: true });
    options.signal.throwIfAborted();
    throw error instanceof DownloadError ? inWords(error, plan, options.registry) : error;
  } finally {
    lock.release();
  }
}

function inWords(error: DownloadError, { folder }: SetupPlan, registry: string): UserError {
  const hints = {
    unreachable: `Without a network, copy ${folder} from a similar machine where it is installed, or use a registry you can reach: npm_config_registry=URL aca models setup.`,
    certificate: "Then run `aca models setup` again. npm's cafile also counts.",
    refused: error.isTransient
      ? 'The registry is busy. Run `aca models setup` again later to resume.'
      : `Ask the administrator of ${registry} to provide node-llama-cpp and its packages, or use another registry: npm_config_registry=URL aca models setup.`,
    cut: 'Run `aca models setup` again to resume.',
    mismatch: `Nothing was installed. Run it again; if that does not help, ${registry} does not serve the packages published on npm.`,
    disk_full: 'Free up disk space, then run `aca models setup` again to resume.',
  } as const;
  return new UserError(error.message, hints[error.fault], { cause: error, exit: 'error' });
}
