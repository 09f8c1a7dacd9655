import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { baseUrlVariables, type Preset } from '../../providers/presets.ts';

/** A vendor's address: the user's setting before the built-in one. */
export function baseUrlOf(
  preset: Preset,
  { config, env }: { config: Config; env: NodeJS.ProcessEnv },
): string {
  const named = config.provider === undefined ? preset.name === 'local' : config.provider === preset.name;
  if (config.apiBaseUrl !== undefined && (named || config.model?.startsWith(`${preset.name}/`)))
    return config.apiBaseUrl;
  const variable = baseUrlVariables(preset).find((name) => env[name]);
  return variable === undefined ? preset.baseUrl : addressIn(variable, env[variable] ?? '');
}

/** The value is not quoted in the error: it may contain a password. */
function addressIn(variable: string, value: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UserError(
    `${variable} is not an http or https address.`,
    `Correct it, for example to http://127.0.0.1:8080/v1, or unset ${variable}.`,
  );
}
