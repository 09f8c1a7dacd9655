import { type Preset, presets } from '../../src/providers/presets.ts';
import { configure } from './subagents.ts';
import type { Workspace } from './workspace.ts';

/** Every vendor that is reached over the network with a key of its own. Clouds have their own tests. */
export const vendors: readonly Preset[] = presets.filter((preset: Preset) => preset.cloud === undefined);

/** Configures a vendor as a user would, at another address. */
export async function setUpVendor(
  space: Workspace,
  { name, protocol, keyEnv, defaultModel = 'qwen3:8b' }: Preset,
  url: string,
): Promise<{ model: string; env: Record<string, string> }> {
  const baseUrl = protocol.startsWith('openai') ? `${url}/v1` : url;
  await configure(space, { providers: { [name]: { baseUrl } } });
  return { model: `${name}/${defaultModel}`, env: { [keyEnv[0] ?? '']: 'sk-test-of-a-user' } };
}
