import { offerTrust } from '../../app/conversation/trust-question.ts';
import type { Settings } from '../../app/settings.ts';
import type { Client } from './client.ts';
import { textContent } from './updates/tool-calls.ts';

/** Asks whether the folder's own settings apply. */
export function isTrusted(
  client: Client,
  { settings, cwd }: { settings: Settings; cwd: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { root } = settings;
  let shown = '';
  const talk = {
    print: (text: string) => {
      shown += `${text}\n`;
    },
    ask: async () => {
      const about = { details: [textContent(shown)], ownerOnly: true as const };
      return (await client.confirm('Trust this folder?', signal, about)) ? 'y' : 'n';
    },
  };
  return offerTrust(settings, talk, { root, cwd });
}
