import type { Key } from '../view/types.ts';

/** How many rows there are, and how many are visible at once. */
export type Extent = { total: number; page: number };

/** The first visible row, limited so that the last page is full. */
export function clampTop(top: number, { total, page }: Extent): number {
  return Math.max(0, Math.min(top, total - page));
}

/** The new position after a key, or null when it does not scroll. */
export function scrolled(top: number, key: Key, extent: Extent): number | null {
  const by = stepOf(key, extent);
  return by === null ? null : clampTop(clampTop(top, extent) + by, extent);
}

/** `lines 3-9 of 40`, or null when all are visible. */
export function placeWords(top: number, extent: Extent): string | null {
  const { total, page } = extent;
  if (total <= page) return null;
  const first = clampTop(top, extent);
  return `lines ${first + 1}-${first + page} of ${total}`;
}

function stepOf(key: Key, { total, page }: Extent): number | null {
  if (key.type !== 'key') return null;
  switch (key.name) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'pageup':
      return 1 - Math.max(2, page);
    case 'pagedown':
    case 'space':
      return Math.max(2, page) - 1;
    case 'home':
      return -total;
    case 'end':
      return total;
    default:
      return null;
  }
}
