import { homedir, totalmem } from 'node:os';
import path from 'node:path';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { createShell } from '../../sandbox/shell/shell.ts';
import type { Parts } from '../parts.ts';
import type { GuardLimits, SessionFolders } from './session-guard.ts';

/** Share of the machine's memory that a command may use by default. */
const MEMORY_SHARE = 0.75;

/** The sandboxed shell of one session. */
export function createSessionShell(
  { config, env, cwd, dataRoot, hiddenVariables }: Parts,
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
  const { kind, level, required, image, allowedDomains, writablePaths, readablePaths } = config.sandbox;
  return createShell({
    cwd,
    env,
    hiddenEnv: hiddenVariables,
    outputFolder: folders.output,
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
      writablePaths,
      readablePaths,
      additionalDirectories: config.additionalDirectories,
      allowedPaths: config.allowedPaths,
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      home: homedir(),
      dataRoot,
      readableFolders: folders.skills,
      ...(limits && { readOnlyProjects: limits.readable }),
      warn,
      cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
    },
  });
}
