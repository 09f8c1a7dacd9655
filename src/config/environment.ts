import { UserError } from '../contract/errors.ts';
import { checkInput } from './config-file.ts';
import type { ConfigInput } from './schema/schema.ts';

export type Env = Readonly<Record<string, string | undefined>>;

type Reading = 'text' | 'number' | 'switch' | 'enabled' | 'log' | { fixed: boolean };

/** `key` is the setting a variable gives, null for one that is no setting. Empty variables count as unset. */
export type EnvironmentVariable = { name: string; description: string } & (
  | { key: keyof ConfigInput; reads: Reading }
  | { key: null }
);

/** Where `cache.redis` is, and the key for it; commands do not see them. */
export const redisVariables = ['AI_ASSISTANT_REDIS_URL', 'AI_ASSISTANT_REDIS_KEY'] as const;

export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'AI_ASSISTANT_PROVIDER', key: 'provider', reads: 'text', description: 'Which vendor answers' },
  { name: 'AI_ASSISTANT_MODEL', key: 'model', reads: 'text', description: 'Model, alias or provider/model' },
  {
    name: 'AI_ASSISTANT_HELPER_MODEL',
    key: 'helperModel',
    reads: 'text',
    description: 'Cheaper model for side jobs',
  },
  {
    name: 'AI_ASSISTANT_API_KEY',
    key: 'apiKey',
    reads: 'text',
    description: 'Key for the chosen vendor, before its own variable',
  },
  {
    name: 'AI_ASSISTANT_API_BASE_URL',
    key: 'apiBaseUrl',
    reads: 'text',
    description: 'Where the chosen vendor answers',
  },
  {
    name: 'AI_ASSISTANT_OFFLINE',
    key: 'offline',
    reads: 'switch',
    description: '1 or 0: only models on this machine or its network',
  },
  { name: 'AI_ASSISTANT_EFFORT', key: 'effort', reads: 'text', description: 'low, medium or high' },
  {
    name: 'AI_ASSISTANT_MAX_TURNS',
    key: 'maxTurns',
    reads: 'number',
    description: 'Most model replies in one run',
  },
  {
    name: 'AI_ASSISTANT_MAX_TOKENS',
    key: 'maxTokens',
    reads: 'number',
    description: 'Most tokens of one reply',
  },
  {
    name: 'AI_ASSISTANT_MODE',
    key: 'mode',
    reads: 'text',
    description: 'read-only, plan, default, accept-edits or auto',
  },
  {
    name: 'AI_ASSISTANT_THEME',
    key: 'theme',
    reads: 'text',
    description: 'auto, dark, light or another theme',
  },
  {
    name: 'AI_ASSISTANT_VERBOSITY',
    key: 'verbosity',
    reads: 'text',
    description: 'quiet, normal or verbose',
  },
  {
    name: 'AI_ASSISTANT_LOG',
    key: 'log',
    reads: 'log',
    description: 'debug, info, warn, error or off; after a colon, the file to write to',
  },
  {
    name: 'AI_ASSISTANT_TELEMETRY',
    key: 'telemetry',
    reads: 'enabled',
    description: '1 or 0: whether metrics and traces are sent to an OpenTelemetry collector',
  },
  {
    name: 'AI_ASSISTANT_SAVE_HISTORY',
    key: 'saveHistory',
    reads: 'switch',
    description: '1 or 0: whether sessions are kept',
  },
  {
    name: 'AI_ASSISTANT_MEMORY',
    key: null,
    description: '0: nothing is remembered and nothing recalled, whatever the settings say',
  },
  {
    name: redisVariables[0],
    key: null,
    description: 'A Redis server that several instances share, before `cache.redis.url`',
  },
  {
    name: redisVariables[1],
    key: null,
    description: 'What is sent there is encrypted with this, before `cache.redis.key`',
  },
  { name: 'NO_COLOR', key: 'colorOutput', reads: { fixed: false }, description: 'Any value: no colours' },
  { name: 'AI_ASSISTANT_HOME', key: null, description: 'The data root, instead of ~/.ai-assistant' },
  {
    name: 'AI_ASSISTANT_TRUST',
    key: null,
    description: "1: accept everything in a project's .ai-assistant.json",
  },
  {
    name: 'AI_ASSISTANT_KEYCHAIN',
    key: null,
    description: '0: keep keys in credentials.json of the data root, never in the system keychain',
  },
  {
    name: 'AI_ASSISTANT_BINARY',
    key: null,
    description: '0: installed with npm, run the JavaScript build, not the binary',
  },
  {
    name: 'AI_ASSISTANT_ROOT_EXPECTED',
    key: null,
    description: '1: no notice at the start about running as root, for containers where that is normal',
  },
  {
    name: 'AI_ASSISTANT_NO_UPDATE_CHECK',
    key: null,
    description: '1: nobody is asked for a newer version; so do NO_UPDATE_NOTIFIER and CI',
  },
  {
    name: 'AI_ASSISTANT_MCP_TOKEN',
    key: null,
    description: 'What clients of `aca mcp serve --http` must send, instead of the token in the data root',
  },
];

/** What the environment sets, and which variable set each key. */
export function readEnvironment(env: Env): { input: ConfigInput; names: Map<string, string> } {
  const input: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const variable of environmentVariables) {
    const text = env[variable.name];
    if (variable.key === null || !text) continue;
    input[variable.key] = readText(text, variable.name, variable.reads);
    names.set(variable.key, variable.name);
  }
  const checked = checkInput(input, ([key]) => `environment variable ${names.get(String(key))}`);
  return { input: checked.input, names };
}

function readText(
  text: string,
  name: string,
  reads: Reading,
): string | number | boolean | Record<string, string | boolean> {
  if (reads === 'text') return text;
  if (reads === 'enabled') return { enabled: readText(text, name, 'switch') === true };
  if (reads === 'log') {
    const [, level = '', file = ''] = /^([^:]*):?(.*)$/s.exec(text.trim()) ?? [];
    return { level: level.toLowerCase(), ...(file !== '' && { file }) };
  }
  if (typeof reads === 'object') return reads.fixed;
  if (reads === 'number') {
    if (/^-?\d+(\.\d+)?$/.test(text.trim())) return Number(text);
    throw new UserError(
      `environment variable ${name} must be a number.`,
      `Set ${name} to a number, or unset it.`,
    );
  }
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new UserError(`environment variable ${name} must be 1 or 0.`, `Set ${name} to 1 or 0, or unset it.`);
}

/** Whether a variable such as AI_ASSISTANT_TRUST is switched on (`true`), off (`false`) or not set. */
export function switchOf(env: Env, name: string): boolean | undefined {
  const text = env[name];
  return text ? readText(text, name, 'switch') === true : undefined;
}
