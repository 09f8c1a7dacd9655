import type { Config } from '../../config/schema/schema.ts';
import { withFallback } from '../../providers/wrappers/fallback.ts';
import type { ConnectedModel } from './background-model.ts';
import { modelInfo } from './choose-model.ts';
import { fallbackOf, nameOf } from './fallback-model.ts';

type Connect = (model: ConnectedModel) => ConnectedModel;

/**
 * Connects the main model. If it is a vendor's default that the user's account does not have, the vendor's older models
 * are tried in turn, each with one warning. A model that the user named is never replaced.
 */
export function connectOrOlder(main: ConnectedModel, config: Config, warn: (text: string) => void) {
  const { older = [], ...choice } = main.choice;
  const warned = new Set<string>();
  return (connect: Connect): ConnectedModel => {
    const open = (model: ConnectedModel, [next, ...others]: readonly string[]): ConnectedModel => {
      const connected = connect(model);
      if (next === undefined) return connected;
      const fallback = async () => {
        const info = modelInfo(choice.preset, next, config);
        const opened = open({ ...main, choice: { ...choice, model: next, info } }, others);
        const missing = `${choice.preset.label} does not offer ${model.choice.model} to your account.`;
        const hint = `${nameOf(opened)} is used instead; run \`aca models list\` to choose another model.`;
        if (!warned.has(next)) warn(`${missing} ${hint}`);
        warned.add(next);
        return fallbackOf(opened);
      };
      return {
        ...connected,
        provider: withFallback(connected.provider, { kinds: new Set(['model_not_found']), fallback }),
      };
    };
    return open(main, older);
  };
}
