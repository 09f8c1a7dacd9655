import type { Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import {
  changedEffort,
  effortBefore,
  effortNow,
  lastEffort,
} from '../../contract/request/conversation-effort.ts';
import {
  type Effort,
  type EffortChoice,
  type EffortSwitch,
  effortLevelsOf,
  fitEffort,
} from '../../contract/request/effort.ts';
import type { PricedModel } from '../../providers/models/models.ts';
import type { ConnectedModel } from './background-model.ts';
import type { Choice } from './choose-model.ts';

export type EffortState = EffortSwitch & {
  /** What a new prompt has to record. */
  changed(): EffortChoice | undefined;
  /** The request with the effort of the conversation; `all` are its messages, hidden ones included. */
  applied(request: CompletionRequest, all: readonly Message[]): CompletionRequest;
};

export type EffortDeps = {
  setting: EffortChoice | undefined;
  messages(): readonly Message[];
  current(): Choice;
};

/** The effort of a conversation: what the user chose for it, or what it had before, or the setting. */
export function createEffort(
  initial: EffortChoice | undefined,
  { setting, messages, current }: EffortDeps,
): EffortState {
  let chosen = initial;
  const choice = (): EffortChoice => chosen ?? lastEffort(messages()) ?? setting ?? 'default';
  const level = (): Effort | undefined => levelOf(choice());
  const listeners = new Set<(choice: EffortChoice) => void>();
  return {
    get: choice,
    model: () => current().model,
    levels: () => effortLevelsOf(current().info),
    used: () => fitEffort(level(), current().info),
    set(next) {
      chosen = next;
      for (const listener of listeners) listener(next);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed: () => changedEffort(level(), messages()),
    applied(request, all) {
      const { effort: _, ...plain } = request;
      const before = effortBefore(all, request.messages);
      const asked = { ...plain, ...(before !== undefined && { effort: before }) };
      return effortNow(asked) === level() ? asked : { ...asked, effortForNext: choice() };
    },
  };
}

function levelOf(choice: EffortChoice): Effort | undefined {
  return choice === 'default' ? undefined : choice;
}

/** Tells the user once for each model which effort it uses instead of the chosen one. */
export function withEffortNotice(
  tell: (text: string) => void,
): (model: Pick<ConnectedModel, 'choice' | 'provider'>) => Provider {
  const told = new Set<string>();
  return ({ choice, provider }) => ({
    ...provider,
    stream(request, signal) {
      const text = replacementNotice(effortNow(request), choice.info);
      if (text !== null && !told.has(text)) tell(text);
      if (text !== null) told.add(text);
      return provider.stream(request, signal);
    },
  });
}

/** `kimi-k3 takes low, high, max: using high`; null if the model has the level. */
export function replacementNotice(wanted: Effort | undefined, info: PricedModel): string | null {
  const used = fitEffort(wanted, info);
  if (wanted === undefined || used === wanted) return null;
  const { levels } = effortLevelsOf(info);
  if (used === undefined)
    return wanted === 'none' && !info.abilities.thinking ? null : `${info.id} has no effort setting.`;
  return `${info.id} takes ${levels.join(', ')}: using ${used} instead of ${wanted}.`;
}
