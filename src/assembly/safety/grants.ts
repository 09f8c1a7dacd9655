import type { SessionWriter } from '../../agent/session-writer.ts';
import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import type { Permission } from '../../contract/permission.ts';
import { grantedAlways } from '../../permissions/granted.ts';
import type { Guard } from '../../sandbox/guard.ts';
import type { Parts } from '../parts.ts';

export type GrantDeps = {
  guard: Pick<Guard, 'realOf'>;
  writer: Pick<SessionWriter, 'remember' | 'forget'>;
  warn(text: string): void;
};

/** The user's answers that outlive their question: for this session, or for this folder in the settings. */
export type Grants = {
  current(): Permission[];
  add(permission: Permission): Promise<void>;
  /** As if the user had answered "always". */
  addAlways(pattern: string): Promise<void>;
  forget(permission: Pick<Permission, 'pattern' | 'scope'>): Promise<void>;
};

export function createGrants(
  { config, cwd, dataRoot, opened: { session } }: Parts,
  { guard, writer, warn }: GrantDeps,
): Grants {
  const folder = guard.realOf(cwd) ?? cwd;
  const settings = userConfigFile(dataRoot);
  const keyOf = (pattern: string) => ['projects', folder, 'granted', pattern];
  // Answers apply to their folder: a session resumed elsewhere neither uses nor saves any.
  const isHome = session.workingDirectory === cwd;
  let always = grantedAlways(config.projects[folder]?.granted ?? {});

  /** If the settings file cannot be written, the answer applies to this session only. */
  async function save({ pattern, grantedAt }: Permission): Promise<void> {
    await setValue(settings, keyOf(pattern), grantedAt).catch((error: Error) =>
      warn(`${pattern} is allowed for this session only: cannot write ${settings} (${error.message}).`),
    );
  }

  async function add(permission: Permission): Promise<void> {
    if (permission.scope === 'always') await save(permission);
    if (isHome) await writer.remember(permission);
  }

  return {
    current: () => [...always, ...(isHome ? session.permissions.filter(({ rule }) => !rule) : [])],
    add,
    async addAlways(pattern) {
      for (const permission of grantedAlways({ [pattern]: new Date().toISOString() })) {
        always = [...always, permission];
        await add(permission);
      }
    },
    async forget({ pattern, scope }) {
      always = always.filter((one) => one.pattern !== pattern);
      await writer.forget(pattern);
      if (scope === 'always') await setValue(settings, keyOf(pattern), undefined);
    },
  };
}
