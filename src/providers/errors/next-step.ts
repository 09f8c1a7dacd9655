import type { ProviderError } from '../../contract/errors.ts';
import { infoOf } from '../models/models.ts';
import { type Preset, presets } from '../presets.ts';

export const OVERFLOW_HINT = 'Start a new session, or choose a model with a larger context window.';

/** What the user can do about a failed request. */
export function nextStep(error: ProviderError, model: string): string {
  const { kind, provider, status, retryAfterMs } = error;
  if (error.nextStep !== undefined) return error.nextStep;
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
    case 'rate_limit':
      // The message says how long.
      if (retryAfterMs !== undefined) return 'Wait until then, or use another model.';
      return `${Vendor} limits how much you may send. Wait a minute and try again, or use another model.`;
    case 'overloaded':
      return preset?.local
        ? `${Vendor} is busy, or still loading ${model}. Try again in a minute.`
        : `${Vendor} is overloaded. Try again in a minute, or use another model.`;
    case 'server_error':
      return preset?.local
        ? `${Vendor} failed. Check its log, or restart it and try again.`
        : `${Vendor} has a problem. Try again in a minute, or use another model.`;
    case 'cut':
      return `The answer of ${vendor} broke off. Try again; what has arrived is kept.`;
    case 'protocol':
      return `${Vendor} sent an answer that makes no sense. Check its address with \`aca doctor\`, or try again.`;
    case 'stale_reasoning':
      return `${Vendor} did not accept the reasoning of earlier turns. Start a new session, or use another model.`;
    case 'bad_request':
      return `${Vendor} did not accept the request. Check your settings with \`aca doctor\`, or use another model.`;
    case 'overflow':
      return OVERFLOW_HINT;
    default:
      return kind satisfies never;
  }
}
