import { homedir, totalmem } from 'node:os';
import path from 'node:path';
import type { ModeSwitch } from '../../contract/command.ts';
import type { PlacesOptions } from '../../sandbox/confine/walls.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { createShell } from '../../sandbox/shell/shell.ts';
import type { Parts } from '../parts.ts';
import type { GuardLimits, SessionFolders } from './session-guard.ts';

/** Share of the machine's memory that a command may use by default. */
const MEMORY_SHARE = 0.75;

type WallsParts = Pick<Parts, 'config' | 'cwd' | 'dataRoot'>;

/** Which parts of the disk the commands of a session see. */
export function sessionWalls(
  { config, cwd, dataRoot }: WallsParts,
  { folders, limits }: { folders: SessionFolders; limits?: GuardLimits | undefined },
): Omit<PlacesOptions, 'env'> & { outputFolder: string } {
  return {
    cwd,
    additionalDirectories: config.additionalDirectories,
    writablePaths: config.sandbox.writablePaths,
    readablePaths: config.sandbox.readablePaths,
    allowedPaths: config.allowedPaths,
    home: homedir(),
    dataRoot,
    outputFolder: folders.output,
    readableFolders: folders.skills,
    ...(limits && { readOnlyProjects: limits.readable }),
  };
}

/** The sandboxed shell of one session. */
export function createSessionShell(
  parts: Parts,
  {
    guard,
    mode,
    folders,
    limits,
    warn,
  }: {
    guard: Guard;
    mode: ModeSwitch;
    folders: SessionFolders;
    limits?: GuardLimits | undefined;
    warn(text: string): void;
  },
) {
  const { config, env, dataRoot, hiddenVariables } = parts;
  const { kind, level, required, image, allowedDomains } = config.sandbox;
  const { cwd, outputFolder, ...walls } = sessionWalls(parts, { folders, limits });
  return createShell({
    cwd,
    env,
    hiddenEnv: hiddenVariables,
    outputFolder,
    limits: {
      maxProcesses: config.sandbox.maxProcesses,
      maxMemoryMb: config.sandbox.maxMemoryMb ?? Math.round((totalmem() / 1024 ** 2) * MEMORY_SHARE),
    },
    confine: {
      kind,
      // In these modes nothing may be changed, by commands either.
      level: () => (['plan', 'read-only'].includes(mode.get()) ? 'strict' : level),
      required,
      ...(image !== undefined && { image }),
      allowedDomains,
      ...walls,
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      warn,
      cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
    },
  });
}
