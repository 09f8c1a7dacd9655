import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PermissionDeniedError } from '../../contract/errors.ts';
import type { SandboxLevel, SandboxState } from '../../contract/sandbox.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { launchInBubblewrap } from './bubblewrap.ts';
import { chooseSandbox, type Found, type WantedSandbox } from './choose.ts';
import { launchInContainer } from './container.ts';
import { type CommandLine, hostLaunch, type Launch, type Variables } from './launch.ts';
import { createSocketSearch } from './local-sockets.ts';
import { type NetworkProxy, type ProxyOptions, startProxy } from './network-proxy.ts';
import { launchInSeatbelt } from './seatbelt.ts';
import { apartWalls, createWalls, type Walls, type WallsOptions } from './walls.ts';

const MOST_NAMED = 3;

export type Confinement = Omit<WallsOptions, 'cwd' | 'env' | 'outputFolder'> & {
  kind: WantedSandbox;
  /** Evaluated for each command. */
  level(): SandboxLevel;
  /** Nothing runs without a sandbox, even with approval. */
  required: boolean;
  image?: string;
  allowedDomains: readonly string[];
  cacheFile?: string;
  /** Called with what the user should know about the sandbox. */
  warn?(text: string): void;
  /** For tests: how the proxy reaches hosts. */
  proxy?: Pick<ProxyOptions, 'resolve' | 'connect'>;
};

export type ConfineOptions = Confinement & { cwd: string; outputFolder?: string; env: Variables };

/** Isolation for commands; its kind is determined on first use. */
export type Confine = {
  state(): Promise<SandboxState>;
  /**
   * Does the slowest work before the first command: the test of the sandbox, and the first search for
   * secrets.
   */
  prepare(): Promise<void>;
  launch(line: CommandLine, where?: { unconfined: true }): Promise<Launch>;
  close(): Promise<void>;
};

/** Reports each set of folders that commands cannot see once. */
function createHiddenReport(warn: ConfineOptions['warn']): (walls: Walls) => void {
  const reported = new Set<string>();

  function report(why: string, folders: readonly string[]): void {
    const more = folders.length - MOST_NAMED;
    const names = `${folders.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    if (folders.length === 0 || reported.has(why + names)) return;
    reported.add(why + names);
    warn?.(`${why}: ${names}.`);
  }

  return ({ unsearched, crowded }) => {
    report('There was no time to search all folders for secrets. Commands cannot see those left', unsearched);
    report('Too many files have names of secrets. Commands cannot see these folders', crowded);
  };
}

export function createConfine(options: ConfineOptions): Confine {
  const { cwd, kind, level, required, image, allowedDomains, env } = options;
  const wallsAt = createWalls(options);
  const findSockets = createSocketSearch();
  let choosing: Promise<Found> | undefined;
  let proxy: Promise<NetworkProxy> | undefined;
  const scratch = createScratch(options.outputFolder);
  const reportHidden = createHiddenReport(options.warn);

  function choose(): Promise<Found> {
    choosing ??= chooseSandbox({
      wanted: kind,
      platform: process.platform,
      env,
      untrusted: [cwd, ...options.additionalDirectories, ...options.writablePaths],
      image: image !== undefined,
      ...(options.cacheFile !== undefined && { cacheFile: options.cacheFile }),
    });
    return choosing;
  }

  function stateOf(found: Found, now: SandboxLevel = level()): SandboxState {
    const fallback = found.kind === 'host' ? found.fallback : undefined;
    const isListed = found.kind === 'bubblewrap' && now === 'standard' && allowedDomains.length > 0;
    const isOpen = found.kind === 'host' || now === 'permissive';
    return {
      kind: found.kind,
      level: now,
      network: isOpen ? 'open' : isListed ? 'listed' : 'none',
      ...(fallback !== undefined && { fallback }),
    };
  }

  async function confined(line: CommandLine, found: Exclude<Found, { kind: 'host' }>): Promise<Launch> {
    const sandbox = stateOf(found, line.onlyReads && 'strict');
    const { program } = found;
    if (found.kind === 'docker' || found.kind === 'podman') {
      return launchInContainer(line, { program, mount: cwd, sandbox, ...(image !== undefined && { image }) });
    }
    const { readable = [], sealed = [], gitConfig = false } = line;
    const walls = line.apart
      ? apartWalls(options)
      : await wallsAt(sandbox.level, { readable, sealed, gitConfig });
    reportHidden(walls);
    if (found.kind === 'seatbelt') {
      return launchInSeatbelt(line, { walls, sandbox, scratch: scratch.folder() });
    }
    if (sandbox.network === 'listed') {
      proxy ??= startProxy({ allowed: allowedDomains, ...upstreamOf(env), ...options.proxy });
    }
    const { socket } = (await proxy) ?? {};
    const bridge = sandbox.network === 'listed' && socket !== undefined ? { bridge: { socket } } : {};
    const sockets = await findSockets(walls.sockets);
    return launchInBubblewrap(line, {
      program,
      walls,
      sandbox,
      sockets,
      scratch: scratch.folder(),
      ...bridge,
    });
  }

  return {
    state: async () => stateOf(await choose()),

    async prepare() {
      const { kind } = await choose();
      if (kind === 'bubblewrap' || kind === 'seatbelt') await wallsAt(level());
    },

    async launch(line, where) {
      const found = await choose();
      if (required && (where?.unconfined || found.kind === 'host')) throw refusal(line.command, found);
      if (where?.unconfined || found.kind === 'host') {
        return hostLaunch(line, stateOf(where ? { kind: 'host' } : found));
      }
      return confined(line, found);
    },

    async close() {
      await (await proxy)?.close();
      scratch.close();
    },
  };
}

/**
 * The temporary folder of all commands: kept with the session's outputs, or until its end. Commands run even where those
 * cannot be kept.
 */
function createScratch(outputFolder: string | undefined): { folder(): string; close(): void } {
  let own: string | undefined;

  function kept(): string | null {
    if (outputFolder === undefined) return null;
    const folder = path.join(outputFolder, 'tmp');
    try {
      makePrivateFolder(folder);
      accessSync(folder, constants.W_OK);
      return folder;
    } catch (error) {
      if (isErrno(error)) return null;
      throw error;
    }
  }

  return {
    folder() {
      const folder = own ?? kept();
      if (folder !== null) return folder;
      own = mkdtempSync(path.join(tmpdir(), 'aca-scratch-'));
      return own;
    },
    close() {
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
    },
  };
}

function refusal(command: string, found: Found): PermissionDeniedError {
  const why =
    found.kind === 'host'
      ? `no sandbox is available: ${found.fallback ?? 'it is turned off'}`
      : 'it would run outside the sandbox';
  return new PermissionDeniedError({
    operation: `run ${command} (${why}; sandbox.required is set, so nothing runs without one)`,
    by: 'setting sandbox.required',
  });
}

/** The user's own proxy, if it is an HTTP proxy. */
function upstreamOf(env: Variables): Pick<ProxyOptions, 'upstream'> {
  const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy'];
  const written = names.map((name) => env[name]).find((value) => value);
  if (written === undefined || !URL.canParse(written)) return {};
  const upstream = new URL(written);
  return upstream.protocol === 'http:' ? { upstream } : {};
}
