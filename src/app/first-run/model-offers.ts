import { availableMemory } from '../../embedded/models/available-memory.ts';
import type { CuratedModel } from '../../embedded/models/curated.ts';
import { DEFAULT_HUB } from '../../embedded/models/hub.ts';
import { memoryFor, type Offered, offersFor } from '../../embedded/models/offers.ts';
import type { Host } from '../host.ts';
import { gigabytes } from './options.ts';

/** A model that the first run offers to download. `about`: its size, source, licence and memory need. */
export type ModelOffer = { model: CuratedModel; about: string; why: string };

const WHY: Record<Offered['why'], string> = {
  recommended: 'recommended for this machine',
  smaller: 'smaller and faster',
  larger: 'larger and slower, better answers',
};

export async function modelOffers({ env }: Pick<Host, 'env'>): Promise<ModelOffer[]> {
  const { host } = new URL(env.HF_ENDPOINT || DEFAULT_HUB);
  return offersFor(await availableMemory()).map(({ model, why }) => ({
    model,
    about: `${gigabytes(model.bytes)} from ${host}, ${model.license}, needs ${gigabytes(memoryFor(model))} of memory`,
    why: WHY[why],
  }));
}
