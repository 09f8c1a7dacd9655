import type { HealthCheck } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { findRecorder } from '../voice/open-microphone.ts';
import { voiceProvider } from '../voice/voice-provider.ts';
import { bad, ok } from './check.ts';

/** What records, and what transcribes; makes no request. */
export function voiceCheck(
  { config }: Pick<Settings, 'config'>,
  host: Pick<Host, 'env' | 'cwd'>,
): HealthCheck {
  const { command, provider, baseUrl } = config.voice;
  const by = command !== undefined ? 'voice.command' : (provider ?? (baseUrl && new URL(baseUrl).host));
  const usual = config.offline ? 'a local server' : 'a local server, or a provider with a key';
  try {
    if (command === undefined) voiceProvider(config);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return bad('voice', error.message, error.hint);
  }
  try {
    return ok('voice', `records with ${findRecorder(config, host).name}; transcription needs ${by ?? usual}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return ok('voice', `off: ${error.message} ${error.hint}`);
  }
}
