import type { Item, View } from './view.ts';

/** A view under construction: its own fields and its list of items may be changed, nothing they refer to. */
export type Draft = Omit<View, 'items'> & { items: Item[] };

/** Appends an item; its key says when it came. */
export function add<Kind extends Item['type']>(
  draft: Draft,
  item: Omit<Extract<Item, { type: Kind }>, 'key' | 'type'> & { type: Kind },
): void {
  draft.lastKey++;
  draft.items.push({ ...item, key: draft.lastKey } as unknown as Item);
}
