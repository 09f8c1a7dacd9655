import type { Config } from '../../config/schema/schema.ts';
import { withFallback } from '../../providers/wrappers/fallback.ts';
import type { ConnectedModel } from './background-model.ts';
import { modelInfo } from './choose-model.ts';
import { fallbackOf, nameOf } from './fallback-model.ts';

type Connect = (model: ConnectedModel) => ConnectedModel;

/**
 * Connects the main model. If it is a vendor's default that the user's account does not have, the vendor's older model
 * answers, with one warning. A model that the user named is never replaced.
 */
export function connectOrOlder(main: ConnectedModel, config: Config, warn: (text: string) => void) {
  const { older, ...choice } = main.choice;
  let isWarned = false;
  return (connect: Connect): ConnectedModel => {
    const connected = connect(main);
    if (older === undefined) return connected;
    const fallback = async () => {
      const info = modelInfo(choice.preset, older, config);
      const opened = connect({ ...main, choice: { ...choice, model: older, info } });
      const missing = `${choice.preset.label} does not offer ${choice.model} to your account.`;
      const next = `${nameOf(opened)} is used instead; run \`aca models list\` to choose another model.`;
      if (!isWarned) warn(`${missing} ${next}`);
      isWarned = true;
      return fallbackOf(opened);
    };
    return {
      ...connected,
      provider: withFallback(connected.provider, { kinds: new Set(['model_not_found']), fallback }),
    };
  };
}
