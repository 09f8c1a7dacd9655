import { type ProviderError, UserError } from '../../contract/errors.ts';
import type { ToolContext } from '../../contract/tool.ts';
import type { Stand } from '../../providers/wrappers/fallback.ts';
import type { ConnectedModel } from './background-model.ts';

export type StandInDeps = {
  /** The fallback model from the settings. */
  fallbackModel?: string | undefined;
  /** Null, with a notice, if it cannot be used. */
  tryToOpen(name: string): Promise<ConnectedModel | null>;
  /** A model of another vendor to offer after this failure; null if there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Absent in headless sessions. */
  ask?: ToolContext['ask'];
  warn(text: string): void;
};

export type StandIn = (error: ProviderError, signal: AbortSignal) => Promise<Stand | null>;

/** The fallback while the main model fails: the one in the settings, or one that the user agrees to. */
export function createStandIn(deps: StandInDeps): StandIn {
  let agreed: Promise<string | null> | undefined;

  async function offer(error: ProviderError, signal: AbortSignal): Promise<string | null> {
    const name = deps.ask && ((await deps.otherModel?.(error)) ?? null);
    if (!deps.ask || !name) return null;
    const question = `${withoutStop(error)}. Use ${name} until ${error.provider} is back?`;
    return (await deps.ask({ question, choices: ['yes', 'no'] }, signal)) === 'yes' ? name : null;
  }

  return async (error, signal) => {
    // Asked once: a no applies to the whole conversation.
    agreed ??= deps.fallbackModel ? Promise.resolve(deps.fallbackModel) : offer(error, signal);
    const name = await agreed;
    const stand = name === null ? null : await deps.tryToOpen(name);
    if (!stand) return null;
    deps.warn(`${withoutStop(error)}. Using ${nameOf(stand)} instead.`);
    return standOf(stand);
  };
}

export function standOf({ choice, provider }: ConnectedModel): Stand {
  return { provider, model: choice.model, maxOutputTokens: choice.info.maxOutputTokens };
}

/** Opens a model; warns if it cannot be used. */
export async function openOrWarn(
  name: string,
  open: (name: string) => Promise<ConnectedModel>,
  warn: (text: string) => void,
): Promise<ConnectedModel | null> {
  try {
    return await open(name);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(`${name} cannot be used: ${error.message} ${error.hint}`);
    return null;
  }
}

export function nameOf({ choice }: ConnectedModel): string {
  return `${choice.preset.name}/${choice.model}`;
}

function withoutStop({ message }: ProviderError): string {
  return message.replace(/[.\s]+$/, '');
}
