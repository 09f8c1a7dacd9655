import { createModelList, type ModelGroup } from '../../app/conversation/model-list.ts';
import type { Host } from '../../app/host.ts';
import type { Settings } from '../../app/settings.ts';

/** How long a list is used again. */
const KEPT_MS = 1_000;

/** For these settings, while this model is in use. */
type Listed = { settings: Settings; model: string; groups: Promise<ModelGroup[]> };

/** The models that can be chosen, listed once for all clients that join at the same time. */
export class SharedModelList {
  readonly #host: Host;
  #listed: Listed | null = null;

  constructor(host: Host) {
    this.#host = host;
  }

  get({ settings, model }: Omit<Listed, 'groups'>): Promise<ModelGroup[]> {
    const known = this.#listed;
    if (known?.settings === settings && known.model === model) return known.groups;
    const list = createModelList({
      host: this.#host,
      settings: () => settings,
      model: () => model,
      switchTo: () => undefined,
    });
    const listed = { settings, model, groups: list.list() };
    this.#listed = listed;
    const forget = () => {
      if (this.#listed === listed) this.#listed = null;
    };
    listed.groups.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
    return listed.groups;
  }
}
