import { homedir } from 'node:os';
import path from 'node:path';
import { extensionsOf } from '../../config/extension-files.ts';
import { projectRoot } from '../../config/trust.ts';
import { readingDenier } from '../../permissions/pattern.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import { createGuard, type Guard, type GuardOptions } from '../../sandbox/guard.ts';
import type { Parts } from '../parts.ts';
import type { SessionRules } from './session-rules.ts';

/** Folders outside the project that a session's tools use. */
export type SessionFolders = {
  /** Outputs too long for the model, and quarantined files. */
  output: string;
  /** The user's skills, and plugins. */
  skills: readonly string[];
};

export function sessionFolders(parts: Parts): SessionFolders {
  const { dataRoot, config, opened, userFiles = [], bundles = [] } = parts;
  const skills = extensionsOf(userFiles, 'skill').map(({ file }) => path.dirname(file));
  return {
    output: path.join(dataRoot, 'outputs', opened.session.id),
    skills: [
      ...[dataRoot, ...config.plugins].map((folder) => path.join(folder, 'skills')),
      ...skills,
      ...bundles.map((bundle) => bundle.parts.root),
    ],
  };
}

/** For an agent that works in a copy of the project. */
export type GuardLimits = Required<Pick<GuardOptions, 'alsoClosed'>> & {
  /** The project itself, and what the copy shares with it: may be read and never written. */
  readable: readonly string[];
};

/** Which paths the tools of a session may read and write. */
export function createSessionGuard(
  { config, cwd, dataRoot }: Parts,
  {
    folders: { output, skills },
    rules,
    limits,
    commandView,
  }: Pick<GuardOptions, 'commandView'> & {
    folders: SessionFolders;
    rules: Pick<SessionRules, 'current'>;
    limits?: GuardLimits;
  },
): Guard {
  const place = {
    cwd: realPath(cwd),
    root: realPath(projectRoot(cwd)),
    home: realPath(homedir()),
  };
  let deny = rules.current().deny;
  let isDenied = readingDenier(deny, place);
  const deniedReads = (real: string): boolean => {
    const now = rules.current().deny;
    if (now !== deny) isDenied = readingDenier(now, place);
    deny = now;
    return isDenied(real);
  };
  return createGuard({
    cwd,
    additionalDirectories: config.additionalDirectories,
    readableDirectories: [output, ...skills, ...(limits?.readable ?? [])],
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    deniedReads,
    ...(commandView && { commandView }),
    home: homedir(),
    ...(limits && { alsoClosed: limits.alsoClosed, bounded: true }),
  });
}
