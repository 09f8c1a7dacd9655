import type { ProviderError } from '../../contract/errors.ts';
import { type Preset, presets } from '../presets.ts';

/** What the user can do about a failed request; undefined where the vendor's own words have to do. */
export function nextStep({ kind, provider, status }: ProviderError, model: string): string | undefined {
  const preset: Preset | undefined = presets.find(({ name }) => name === provider);
  const vendor = preset?.label ?? provider;
  switch (kind) {
    case 'auth': {
      const variable = preset?.keyEnv[0];
      const remedy = `Run \`aca keys set ${provider}\`${variable ? `, or correct ${variable} if it is set` : ''}.`;
      return status === 403
        ? `${vendor} denied access: your key may not use ${model}. Check its permissions, or use another key. ${remedy}`
        : `Your ${vendor} key was rejected. ${remedy}`;
    }
    case 'model_not_found':
      return `${vendor} does not offer ${model}: it may be misspelled, retired or closed to your account. Run \`aca models list\` to see what you can use.`;
    case 'network':
      return preset?.local
        ? `Start ${vendor}, or check its address with \`aca doctor\`.`
        : 'Check your connection and proxy. `aca doctor` tests them.';
    case 'timeout':
      return preset?.local
        ? `Check that ${vendor} is running. For a slow model, raise \`network.silenceMs\`.`
        : 'Check your connection with `aca doctor`, or try again later.';
    default:
      return undefined;
  }
}
