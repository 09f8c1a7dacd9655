import { homedir, totalmem } from 'node:os';
import path from 'node:path';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { createShell } from '../../sandbox/shell/shell.ts';
import type { Parts } from '../parts.ts';
import type { SessionFolders } from './session-guard.ts';

/** Of the machine's memory: what a command may use unless the settings say otherwise. */
const MEMORY_SHARE = 0.75;

/** The sandboxed shell of one session. */
export function createSessionShell(
  { config, env, cwd, dataRoot, keyVariables }: Parts,
  { guard, mode, folders }: { guard: Guard; mode: ModeSwitch; folders: SessionFolders },
) {
  const { kind, level, required, image, allowedDomains, writablePaths } = config.sandbox;
  return createShell({
    cwd,
    env,
    hiddenEnv: keyVariables,
    outputFolder: folders.output,
    limits: {
      maxProcesses: config.sandbox.maxProcesses,
      maxMemoryMb: config.sandbox.maxMemoryMb ?? Math.round((totalmem() / 1024 ** 2) * MEMORY_SHARE),
    },
    confine: {
      kind,
      // Modes in which nothing may be changed: commands cannot, either.
      level: () => (['plan', 'read-only'].includes(mode.get()) ? 'strict' : level),
      required,
      ...(image !== undefined && { image }),
      allowedDomains,
      writablePaths,
      additionalDirectories: config.additionalDirectories,
      allowedPaths: config.allowedPaths,
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      home: homedir(),
      dataRoot,
      readableFolders: folders.skills,
      cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
    },
  });
}
