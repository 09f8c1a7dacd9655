import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import type { EventChannel } from '../../lib/async/event-channel.ts';
import { PromptCache } from '../../observability/spending/prompt-cache.ts';
import type { Notify } from '../notify.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { Caches } from '../session/caches.ts';
import { createProgressSummary } from '../window/progress-summary.ts';
import { Budget } from './budget.ts';
import { connectModels } from './connect-models.ts';
import { createEffort } from './effort.ts';

export type BuildModelsDeps = {
  safety: Pick<Safety, 'privacy' | 'capabilities'>;
  caches: Pick<Caches, 'models'>;
  notify: Notify;
  events: EventChannel<AgentEvent>;
};

export type BuiltModels = ReturnType<typeof buildModels>;

/** The models of one session, with their cost and prompt cache statistics. */
export function buildModels(parts: Parts, { safety, caches, notify, events }: BuildModelsDeps) {
  const { privacy, capabilities } = safety;
  const progress = createProgressSummary(() => capabilities.todos.list());
  events.watch((event) => progress.watch(event));
  const budget = new Budget({
    folder: path.join(parts.dataRoot, 'ledger'),
    session: parts.opened.session,
    limits: parts.config.limits,
    notice: notify.notice,
    progressSummary: progress.text,
    shared: parts.shared,
  });
  const { session } = parts.opened;
  const promptCache = new PromptCache({
    conversation: () => ({ messages: session.messages, epoch: session.view?.epochs.at(-1) }),
    onMiss: (miss) => notify.emit({ type: 'cache_miss', ...miss }),
  });
  const models = connectModels({
    ...parts,
    ...caches.models,
    main: { choice: parts.choice, provider: parts.provider },
    budget,
    guard: privacy.guard,
    watch: (provider, price) => promptCache.watched(provider, price),
    emit: notify.emit,
  });
  const effort = createEffort(parts.effort, {
    setting: parts.config.effort,
    messages: () => parts.opened.session.messages,
    current: models.current,
  });
  return { budget, promptCache, models, effort };
}
