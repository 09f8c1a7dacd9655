import { presetsOf } from '../../assembly/models/choose-model.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import type { Frontend } from '../conversation/frontend.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

/** Key prefixes by vendor, to identify a pasted key. Longer prefixes first. */
const KEY_PREFIXES: [prefix: string, provider: string][] = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['AIza', 'google'],
  ['gsk_', 'groq'],
  ['xai-', 'xai'],
  ['csk-', 'cerebras'],
  ['fw_', 'fireworks'],
];

/** `askHidden` does not echo the input. */
type SecretPrompt = Pick<Frontend, 'ask' | 'print'> & { askHidden(question: string): Promise<string | null> };

/** Asks for an API key and stores it in the keychain for the matching vendor. */
export async function pasteKey(
  { config, root }: Settings,
  { host, talk }: { host: Host; talk: SecretPrompt },
): Promise<void> {
  const key = (await talk.askHidden('API key (not shown): '))?.trim();
  if (!key) return;
  const names = presetsOf(config)
    .filter((preset) => !preset.local)
    .map((preset) => preset.name);
  const guess = KEY_PREFIXES.find(([prefix]) => key.startsWith(prefix))?.[1];
  const provider =
    guess ?? (await talk.ask(`Which provider is this key for? (${names.join(', ')}) `))?.trim();
  if (!provider || !names.includes(provider)) {
    talk.print(`Not stored: "${provider ?? ''}" is not one of ${names.join(', ')}.`);
    return;
  }
  const { where, because } = await createKeychain({ home: root, env: host.env }).store(provider, key);
  talk.print(`Stored for ${provider} in ${where}${because ? ` (${because})` : ''}.`);
}
