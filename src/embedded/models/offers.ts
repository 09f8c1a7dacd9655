import { type CuratedModel, curatedModels, firstModel } from './curated.ts';

/** A model to download, and why it is offered. */
export type Offered = { model: CuratedModel; why: 'recommended' | 'smaller' | 'larger' };

/** Memory that a recommended model needs with a window for small tasks; approximate, before it is downloaded. */
export function memoryFor({ bytes }: Pick<CuratedModel, 'bytes'>): number {
  return bytes * 1.1 + 0.8e9;
}

/**
 * What to offer on a machine with this much available memory: the usual first model if it fits, otherwise the
 * largest that does; one that is smaller; and the largest that fits, if it is larger.
 */
export function offersFor(availableBytes: number): Offered[] {
  const models = curatedModels
    .filter(({ isEmbedding }) => !isEmbedding)
    .toSorted((a, b) => a.bytes - b.bytes);
  const fitting = models.filter((model) => memoryFor(model) <= availableBytes);
  const largest = fitting.at(-1);
  const recommended = fitting.includes(firstModel) ? firstModel : (largest ?? models[0]);
  if (!recommended) return [];
  const smaller = models.findLast(({ bytes }) => bytes < recommended.bytes * 0.9);
  const larger = largest && largest.bytes > recommended.bytes ? largest : undefined;
  return [
    { model: recommended, why: 'recommended' },
    ...(smaller ? [{ model: smaller, why: 'smaller' as const }] : []),
    ...(larger ? [{ model: larger, why: 'larger' as const }] : []),
  ];
}
