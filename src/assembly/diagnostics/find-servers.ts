import { homedir } from 'node:os';
import path from 'node:path';
import { findProgram, languagesIn } from '../../language-servers/find-program.ts';
import { type Language, languagesWith } from '../../language-servers/languages.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { createProgramPath } from '../../sandbox/shell/program-path.ts';
import type { Parts } from '../parts.ts';
import { joinServers } from './shared-servers.ts';

/** The servers of a session, or why it has none. */
export type FoundServers =
  | { type: 'none'; because: string }
  | ({ type: 'found'; missing: readonly string[] } & ReturnType<typeof joinServers>);

/**
 * Decided when the session starts, from what is installed for the languages of its folders: the list of tools must
 * not change later. No server starts here.
 */
export function findServers(parts: Parts, guard: Guard): FoundServers {
  const { config, env, cwd, trusted, dataRoot, hiddenVariables } = parts;
  const { languageServers: settings, sandbox, additionalDirectories } = config;
  const none = (because: string): FoundServers => ({ type: 'none', because });
  if (!settings.enabled) return none('they are turned off (setting languageServers.enabled)');
  if (!trusted) return none('this folder is not trusted (`aca trust`)');
  const folders = [cwd, ...additionalDirectories].map((folder) => realPath(path.resolve(cwd, folder)));
  const isWritable = (real: string) =>
    [...folders, ...sandbox.writablePaths].some((folder) => isInside(folder, real));
  const programs = createProgramPath({ env, isWritable });
  const installed = (name: string) => programs.installed(name);
  const languages = languagesWith(settings.servers);
  const outside = settings.outsideSandbox;
  if (!outside && !maySandbox(sandbox.kind, installed))
    return none('there is no sandbox to run them in (setting languageServers.outsideSandbox)');
  const isInstalled = (language: Language, folder: string) =>
    findProgram(language, folder, { folder, installed }) !== null;
  const isServed = folders.some((folder) =>
    languagesIn(folder, languages).some((language) => isInstalled(language, folder)),
  );
  const missing = languagesWith(settings.servers, [])
    .filter((language) => !folders.some((folder) => isInstalled(language, folder)))
    .map(({ name, programs: [program] }) => `${name}: ${program?.command} was not found`);
  if (!isServed) return none(['none is installed for the languages of this folder', ...missing].join('; '));
  const { kind, required, maxProcesses } = sandbox;
  const key = JSON.stringify([folders, settings, sandbox, env.PATH, dataRoot]);
  const joined = joinServers(key, {
    languages,
    folders,
    installed,
    starter: {
      cwd,
      env,
      hiddenEnv: hiddenVariables,
      maxProcesses,
      maxMemoryMb: settings.maxMemoryMb,
      mayRunOutside: outside,
      confine: {
        kind,
        level: () => 'strict',
        required,
        allowedDomains: [],
        writablePaths: [],
        readablePaths: config.sandbox.readablePaths,
        additionalDirectories,
        allowedPaths: config.allowedPaths,
        isClosed: (file) => guard.closedBecause(file, 'read') !== null,
        home: homedir(),
        dataRoot,
        cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
      },
    },
  });
  return { type: 'found', missing, ...joined };
}

/** Without testing it, which takes too long for a start. */
function maySandbox(
  kind: Parts['config']['sandbox']['kind'],
  installed: (name: string) => string | null,
): boolean {
  if (kind === 'docker' || kind === 'podman' || kind === 'off') return false;
  if (process.platform === 'darwin') return true;
  return process.platform === 'linux' && installed('bwrap') !== null;
}
