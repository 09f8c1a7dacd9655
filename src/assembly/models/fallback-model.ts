import { type ProviderError, UserError } from '../../contract/errors.ts';
import type { ToolContext } from '../../contract/tool.ts';
import type { FallbackModel } from '../../providers/wrappers/fallback.ts';
import type { ConnectedModel } from './background-model.ts';

export type FallbackDeps = {
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

export type ChooseFallback = (error: ProviderError, signal: AbortSignal) => Promise<FallbackModel | null>;

/** The fallback while the main model fails: the one in the settings, or one that the user agrees to. */
export function createFallback(deps: FallbackDeps): ChooseFallback {
  let agreed: Promise<string | null> | undefined;

  async function offer(error: ProviderError, signal: AbortSignal): Promise<string | null> {
    const name = deps.ask && ((await deps.otherModel?.(error)) ?? null);
    if (!deps.ask || !name) return null;
    const question = `${withoutPeriod(error)}. Use ${name} until ${error.provider} is back?`;
    return (await deps.ask({ question, choices: ['yes', 'no'], kinds: ['once', 'no'] }, signal)) === 'yes'
      ? name
      : null;
  }

  return async (error, signal) => {
    // Asked once: a no applies to the whole conversation.
    agreed ??= deps.fallbackModel ? Promise.resolve(deps.fallbackModel) : offer(error, signal);
    const name = await agreed;
    const opened = name === null ? null : await deps.tryToOpen(name);
    if (!opened) return null;
    deps.warn(`${withoutPeriod(error)}. Using ${nameOf(opened)} instead.`);
    return fallbackOf(opened);
  };
}

export function fallbackOf({ choice, provider }: ConnectedModel): FallbackModel {
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

function withoutPeriod({ message }: ProviderError): string {
  return message.replace(/[.\s]+$/, '');
}
