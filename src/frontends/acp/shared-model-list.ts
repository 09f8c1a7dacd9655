import type { ModelGroup } from '../../app/conversation/model-list.ts';
import type { Settings } from '../../app/settings.ts';

/** How long a list is used again. */
const KEPT_MS = 1_000;

/** For these settings, while this model is in use. */
type Listed = { settings: Settings; model: string; groups: Promise<ModelGroup[]> };

/** The models that can be chosen, listed once for all clients that join at the same time. */
export class SharedModelList {
  #listed: Listed | null = null;

  get({ settings, model }: Omit<Listed, 'groups'>, list: () => Promise<ModelGroup[]>): Promise<ModelGroup[]> {
    const known = this.#listed;
    if (known?.settings === settings && known.model === model) return known.groups;
    const listed = { settings, model, groups: list() };
    this.#listed = listed;
    const forget = () => {
      if (this.#listed === listed) this.#listed = null;
    };
    listed.groups.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
    return listed.groups;
  }
}
