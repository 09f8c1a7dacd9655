import type { ProviderError } from '../../contract/errors.ts';
import { infoOf } from '../models/models.ts';
import { type Preset, presets } from '../presets.ts';

/** What the user can do about a failed request; undefined if the vendor's message has to suffice. */
export function nextStep({ kind, provider, status }: ProviderError, model: string): string | undefined {
  const preset: Preset | undefined = presets.find(({ name }) => name === provider);
  const vendor = preset?.inText ?? preset?.label ?? provider;
  const Vendor = vendor.replace(/^the /, 'The ');
  const variable = preset?.keyEnv[0];
  const setKey = `\`aca keys set ${provider}\`${variable ? `, or update ${variable} if it is set` : ''}`;
  const { retired } = infoOf(preset?.tableOf ?? provider, model);
  switch (kind) {
    case 'auth':
      if (status === 403)
        return `${Vendor} denied access to ${model}. Check your key's permissions. To use another key, run ${setKey}.`;
      return preset?.local
        ? `${Vendor} requires a valid key. Run ${setKey}.`
        : `Your ${vendor} key was rejected. Run ${setKey}.`;
    case 'quota':
      return `Your ${vendor} account is out of credit or over its limit. Check its billing page, or use another model.`;
    case 'model_not_found':
      if (retired !== undefined)
        return `${Vendor} retired ${model} on ${retired}. Run \`aca models list\` to see what you can use.`;
      return preset?.local
        ? `${Vendor} has no model ${model}. Install or load it there, or run \`aca models list\` to see what you can use.`
        : `${Vendor} does not offer ${model}: it may be misspelled, retired or unavailable to your account. Run \`aca models list\` to see what you can use.`;
    case 'network':
      return preset?.local
        ? `Start ${vendor}, or check its address with \`aca doctor\`.`
        : `Could not reach ${vendor}. Check your connection and proxy with \`aca doctor\`.`;
    case 'timeout':
      return preset?.local
        ? `Check that ${vendor} is running. For a slow model, raise \`network.silenceMs\`.`
        : `${Vendor} did not answer. Check your connection with \`aca doctor\`, or try again later.`;
    default:
      return undefined;
  }
}
