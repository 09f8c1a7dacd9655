import { presetsOf } from '../../assembly/models/choose-model.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { userConfigFile } from '../../config/load.ts';
import { UserError } from '../../contract/errors.ts';
import { counted } from '../../lib/text/counted.ts';
import type { LocalServer } from '../../providers/local/discover.ts';
import type { Preset } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import { localServers } from '../opening/find-model.ts';
import type { Settings } from '../settings.ts';

/** No model is configured and none was found: what was searched, and the options. */
export async function missingModelError(settings: Settings, host: Host): Promise<UserError> {
  const [what = '', ...rest] = (await missingModelText(settings, host)).split('\n');
  return new UserError(what, rest.join('\n'));
}

export async function missingModelText(settings: Settings, { env }: Host): Promise<string> {
  const { config, root } = settings;
  const servers = await localServers(settings, { env });
  const known = presetsOf(config);
  const { offline } = config;
  return [
    offline ? 'No local model found. Offline mode excludes cloud models.' : 'No model configured yet.',
    'Checked:',
    ...(offline ? [] : wrapNames('  keys in the environment   ', keyNames(known))),
    `  settings                  ${userConfigFile(root)}`,
    ...(offline ? [] : [`  stored keys               ${await storedKeys(root, env)}`]),
    ...known
      .filter((preset) => preset.local && preset.name !== 'local')
      .map((preset) => serverLine(preset, servers)),
    'Options:',
    offline
      ? '  cloud model        turn off offline mode (--offline, setting `offline`)'
      : '  API key            export ANTHROPIC_API_KEY=… or aca keys set anthropic',
    '  local server       start Ollama, LM Studio, llama-server or vLLM; detected automatically',
    '  other server       AI_ASSISTANT_API_BASE_URL=http://host:port/v1 aca --model local/NAME',
    '  embedded model     aca models setup',
    '  demo               aca --demo',
  ].join('\n');
}

async function storedKeys(root: string, env: Host['env']): Promise<string> {
  const keys = await createKeychain({ home: root, env }).list();
  return keys.map((key) => key.provider).join(', ') || 'none';
}

/** Names after a label, wrapped and aligned. */
function wrapNames(label: string, names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && label.length + last.length + name.length + 2 <= 80)
      lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(name);
  }
  return lines.map((line, i) => (i === 0 ? label : ' '.repeat(label.length)) + line);
}

function keyNames(known: readonly Preset[]): string[] {
  const names = known.filter((preset) => !preset.local).flatMap((preset) => preset.keyEnv.slice(0, 1));
  return [...new Set(names)];
}

function serverLine(preset: Preset, servers: readonly LocalServer[]): string {
  const server = servers.find((candidate) => candidate.provider === preset.name);
  const found = server ? stateOf(server, preset) : 'not found';
  return `  ${preset.label.padEnd(24)}  ${found} (${server?.baseUrl ?? preset.baseUrl})`;
}

function stateOf({ models, state }: LocalServer, { name }: Preset): string {
  if (state === 'loading') return 'found, still loading its model';
  if (state === 'needs key') return `found, needs a key: aca keys set ${name}`;
  if (models.length === 0) return 'found, but it has no models';
  return `found, ${counted(models.length, 'model')}`;
}
