import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { CommandRun } from '../../src/contract/tool.ts';
import type { Confinement } from '../../src/sandbox/confine/confine.ts';
import { createGuard } from '../../src/sandbox/guard.ts';
import { createShell } from '../../src/sandbox/shell/shell.ts';
import type { ShellOptions } from '../../src/sandbox/shell/start-command.ts';
import { createSyntaxCheck } from '../../src/sandbox/shell/syntax-check.ts';
import { defaultConfinement } from './confinement.ts';
import { mustRun } from './needed.ts';
import { type Workspace, workspace } from './workspace.ts';

/** Why real bubblewrap cannot be tested here, or null. */
export const noBubblewrap: string | null = mustRun ? null : whyNoBubblewrap();

function whyNoBubblewrap(): string | null {
  if (process.platform !== 'linux') return 'bubblewrap is for Linux';
  try {
    const flags = [
      '--unshare-user',
      '--unshare-pid',
      '--unshare-net',
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
    ];
    const program = 'bwrap';
    execFileSync(program, [...flags, '/bin/sh', '-c', ':'], { stdio: 'pipe', timeout: 5_000 });
    return null;
  } catch (error) {
    return `bubblewrap does not work here: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}

export type SandboxedOptions = Partial<Confinement> &
  Pick<Partial<ShellOptions>, 'env' | 'hiddenEnv' | 'outputFolder' | 'limits'>;

/** A sandboxed shell as in a session, in a folder with these files. */
export async function sandboxedShell(files: Record<string, string> = {}, options: SandboxedOptions = {}) {
  return sandboxedShellIn(await workspace(files), options);
}

export function sandboxedShellIn(space: Workspace, options: SandboxedOptions = {}, cwd = space.root) {
  const {
    env = { PATH: process.env.PATH, HOME: space.home },
    hiddenEnv,
    outputFolder,
    limits,
    ...confine
  } = options;
  const { home } = space;
  const lists = { additionalDirectories: [], blockedPaths: [], allowedPaths: confine.allowedPaths ?? [] };
  const guard = createGuard({ cwd, ...lists, home });
  const shell = createShell({
    cwd,
    env,
    ...(hiddenEnv && { hiddenEnv }),
    ...(outputFolder !== undefined && { outputFolder }),
    ...(limits && { limits }),
    confine: {
      ...defaultConfinement(home),
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      ...confine,
    },
  });
  onTestFinished(() => shell.close());
  const run = (command: string, more: Partial<CommandRun> = {}) =>
    shell.run({ command, timeoutMs: 20_000, signal: new AbortController().signal, ...more });
  const syntaxFault = createSyntaxCheck({ shell, environment: () => ({}) });
  return { ...space, shell, run, syntaxFault };
}
