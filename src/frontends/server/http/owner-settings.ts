import { readConfigFile } from '../../../config/config-file.ts';
import { setValue, valueFromText } from '../../../config/edit.ts';
import { knownKeyPath } from '../../../config/key-path.ts';
import { userConfigFile } from '../../../config/load.ts';
import { describeSetting } from '../../../config/schema/reference.ts';
import { UserError } from '../../../contract/errors.ts';
import { isObject } from '../../../lib/text/json.ts';
import type { SettingChange, SettingsResult } from '../owner-methods.ts';

/**
 * Settings that a form can show and that only bound what sessions do. Rules, commands, addresses and keys, which decide what
 * runs and who gets what, are for the file and the terminal. With the names that forms show.
 */
const CHANGEABLE = new Map([
  ['model', 'Model'],
  ['effort', 'Effort'],
  ['mode', 'Mode'],
  ['limits.run', 'Limit per run'],
  ['limits.session', 'Limit per session'],
  ['limits.day', 'Limit per day'],
  ['maxTurns', 'Replies per run'],
  ['sandbox.level', 'Sandbox'],
]);

/** As they are in the owner's configuration file; projects, flags and the environment may say otherwise. */
export function settingsIn(root: string): SettingsResult {
  const file = userConfigFile(root);
  const input: unknown = readConfigFile(file)?.input ?? {};
  return {
    file,
    settings: [...CHANGEABLE].map(([key, name]) => ({
      key,
      name,
      ...describeSetting(key.split('.')),
      value: textAt(input, key),
    })),
  };
}

/** Applies to sessions that are opened from now on. */
export async function changeSetting(root: string, { key, value }: SettingChange): Promise<SettingsResult> {
  if (!CHANGEABLE.has(key))
    throw new UserError(`${key} cannot be changed here.`, `Change it with \`aca config set ${key} VALUE\`.`);
  const path = knownKeyPath(key);
  await setValue(userConfigFile(root), path, value === null ? undefined : valueFromText(path, value));
  return settingsIn(root);
}

function textAt(input: unknown, key: string): string | null {
  const value = key
    .split('.')
    .reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), input);
  return value === undefined ? null : String(value);
}
