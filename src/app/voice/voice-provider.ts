import { presetsOf } from '../../assembly/models/choose-model.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { Preset } from '../../providers/presets.ts';

/** The provider that the user chose to transcribe; undefined if none. Throws a `UserError` if there is no such provider. */
export function voiceProvider(config: Config): Preset | undefined {
  const { provider } = config.voice;
  if (provider === undefined) return undefined;
  const preset = presetsOf(config).find(({ name }) => name === provider);
  if (preset) return preset;
  throw new UserError(
    `There is no provider ${provider}.`,
    'Correct voice.provider, or add the provider under `providers`.',
  );
}
