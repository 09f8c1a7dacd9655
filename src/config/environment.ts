import { UserError } from '../contract/errors.ts';
import { nearest } from '../lib/text/nearest.ts';
import { checkInput } from './config-file.ts';
import type { Config, ConfigInput } from './schema/schema.ts';

export type Env = Readonly<Record<string, string | undefined>>;

type Reading = 'text' | 'number' | 'switch' | 'enabled' | 'log' | { fixed: boolean };

/** `key` is the setting that the variable sets, null if it sets none. Empty variables count as unset. */
export type EnvironmentVariable = { name: string; description: string } & (
  | { key: keyof ConfigInput; reads: Reading }
  | { key: null }
);

/** The address and password for `cache.redis`; hidden from commands. */
export const redisVariables = ['AI_ASSISTANT_REDIS_URL', 'AI_ASSISTANT_REDIS_KEY'] as const;

/** The queue for `aca worker`, `aca fleet` and `aca batch --queue`; hidden from commands. */
export const queueVariable = 'AI_ASSISTANT_QUEUE_URL';

/** Names the file with the budget of the batch that a session belongs to. */
export const sharedBudgetVariable = 'AI_ASSISTANT_SHARED_BUDGET';

/** The fencing token of the worker that a session runs for. */
export const fenceVariable = 'AI_ASSISTANT_FENCE';

/** Overrides the amount of output that the settings ask for. */
export const verbosityVariable = 'AI_ASSISTANT_VERBOSITY';

export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'AI_ASSISTANT_PROVIDER', key: 'provider', reads: 'text', description: 'Provider to use' },
  {
    name: 'AI_ASSISTANT_MODEL',
    key: 'model',
    reads: 'text',
    description: 'Model to use: a name, an alias or provider/model',
  },
  {
    name: 'AI_ASSISTANT_HELPER_MODEL',
    key: 'helperModel',
    reads: 'text',
    description: 'Cheaper model for background tasks such as summaries',
  },
  {
    name: 'AI_ASSISTANT_API_KEY',
    key: 'apiKey',
    reads: 'text',
    description: "API key for the chosen provider; overrides the provider's own variable",
  },
  {
    name: 'AI_ASSISTANT_API_BASE_URL',
    key: 'apiBaseUrl',
    reads: 'text',
    description: "Base URL of the chosen provider's API",
  },
  {
    name: 'AI_ASSISTANT_OFFLINE',
    key: 'offline',
    reads: 'switch',
    description: '1 or 0: use only models on this machine or local network',
  },
  {
    name: 'AI_ASSISTANT_EFFORT',
    key: 'effort',
    reads: 'text',
    description: 'Reasoning effort: none, minimal, low, medium, high, xhigh or max',
  },
  {
    name: 'AI_ASSISTANT_TIER',
    key: 'tier',
    reads: 'text',
    description: 'Service tier: flex, standard or priority',
  },
  {
    name: 'AI_ASSISTANT_MAX_TURNS',
    key: 'maxTurns',
    reads: 'number',
    description: 'Maximum number of model replies per run',
  },
  {
    name: 'AI_ASSISTANT_MAX_TOKENS',
    key: 'maxTokens',
    reads: 'number',
    description: 'Maximum tokens per reply',
  },
  {
    name: 'AI_ASSISTANT_MODE',
    key: 'mode',
    reads: 'text',
    description: 'Permission mode: read-only, plan, default, accept-edits or auto',
  },
  {
    name: 'AI_ASSISTANT_THEME',
    key: 'theme',
    reads: 'text',
    description: 'Colour theme: auto, dark, light or another theme',
  },
  {
    name: verbosityVariable,
    key: 'verbosity',
    reads: 'text',
    description: 'Amount of output: quiet, normal or verbose',
  },
  {
    name: 'AI_ASSISTANT_LOG',
    key: 'log',
    reads: 'log',
    description: 'Log level: debug, info, warn, error or off; optionally followed by a colon and a log file',
  },
  {
    name: 'AI_ASSISTANT_TELEMETRY',
    key: 'telemetry',
    reads: 'enabled',
    description: '1 or 0: send metrics and traces to an OpenTelemetry collector',
  },
  {
    name: 'AI_ASSISTANT_SAVE_HISTORY',
    key: 'saveHistory',
    reads: 'switch',
    description: '1 or 0: save sessions',
  },
  {
    name: 'AI_ASSISTANT_MEMORY',
    key: null,
    description: '0: turn memory off, whatever the settings say',
  },
  {
    name: queueVariable,
    key: null,
    description: 'Redis server that machines share for batches: the default of `--queue`',
  },
  {
    name: sharedBudgetVariable,
    key: null,
    description: 'Set for the tasks of a batch: the file that describes the budget they share',
  },
  {
    name: fenceVariable,
    key: null,
    description: 'Set for the tasks of a queue: the number of the delivery, which their sessions record',
  },
  {
    name: redisVariables[0],
    key: null,
    description: 'URL of a Redis server shared by several instances; overrides `cache.redis.url`',
  },
  {
    name: redisVariables[1],
    key: null,
    description: 'Encryption key for data stored in Redis; overrides `cache.redis.key`',
  },
  {
    name: 'NO_COLOR',
    key: 'colorOutput',
    reads: { fixed: false },
    description: 'Any value: turn colours off',
  },
  { name: 'AI_ASSISTANT_HOME', key: null, description: 'Data root (default: ~/.ai-assistant)' },
  {
    name: 'AI_ASSISTANT_TRUST',
    key: null,
    description:
      "1: trust everything in a project's .ai-assistant.json; 0: trust nothing, even if you did before",
  },
  {
    name: 'AI_ASSISTANT_KEYCHAIN',
    key: null,
    description: '0: store keys in credentials.json in the data root instead of the system keychain',
  },
  {
    name: 'AI_ASSISTANT_BINARY',
    key: null,
    description: '0: when installed with npm, run the JavaScript build instead of the binary',
  },
  {
    name: 'AI_ASSISTANT_ROOT_EXPECTED',
    key: null,
    description: '1: hide the startup warning about running as root, for containers where that is normal',
  },
  {
    name: 'AI_ASSISTANT_NO_UPDATE_CHECK',
    key: null,
    description: '1: turn off update checks; NO_UPDATE_NOTIFIER and CI do the same',
  },
  {
    name: 'AI_ASSISTANT_MCP_TOKEN',
    key: null,
    description:
      'Token that clients of `aca mcp serve --http` must send, instead of the one in the data root',
  },
];

/** The settings from the environment, and which variable set each key. */
export function readEnvironment(env: Env): { input: ConfigInput; names: Map<string, string> } {
  const input: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const variable of environmentVariables) {
    const text = env[variable.name];
    if (variable.key === null || !text) continue;
    input[variable.key] = readText(text, variable.name, variable.reads);
    names.set(variable.key, variable.name);
  }
  const [misspelt] = Object.keys(env).flatMap((name) => misspellingOf(name) ?? []);
  if (misspelt !== undefined) throw new UserError(misspelt, 'Correct its name, or unset it.');
  const checked = checkInput(input, ([key]) => `environment variable ${names.get(String(key))}`);
  return { input: checked.input, names };
}

const PREFIX = 'AI_ASSISTANT_';

/** Set for the programs that aca starts, which may start aca again. */
const OWN_MARKS = ['AI_ASSISTANT_COMMAND', 'AI_ASSISTANT_SERVER'];

/** A sentence about a variable that is nearly one of ours; null for others. */
function misspellingOf(name: string): string | null {
  const known = environmentVariables.map((variable) => variable.name).filter((one) => one.startsWith(PREFIX));
  if (!name.startsWith(PREFIX) || [...known, ...OWN_MARKS].includes(name)) return null;
  const meant = nearest(
    name.slice(PREFIX.length),
    known.map((one) => one.slice(PREFIX.length)),
  );
  return meant && `Unknown environment variable ${name}. Did you mean ${PREFIX}${meant}?`;
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

/** Undefined outside of a queue. */
export function fenceOf(env: Env): number | undefined {
  const text = env[fenceVariable];
  return text ? Number(readText(text, fenceVariable, 'number')) : undefined;
}

/** Whether a variable such as AI_ASSISTANT_TRUST is on (`true`), off (`false`) or not set. */
export function switchOf(env: Env, name: string): boolean | undefined {
  const text = env[name];
  return text ? readText(text, name, 'switch') === true : undefined;
}

/** The environment of commands, hooks and MCP servers. */
export function sessionEnvironment(env: NodeJS.ProcessEnv, config: Pick<Config, 'env'>): NodeJS.ProcessEnv {
  return { ...env, ...config.env };
}
