import type { Key } from '../view/types.ts';

/** How many rows there are, and how many of them are seen at once. */
export type Extent = { total: number; page: number };

/** The first row that is seen, so that the last page is never left. */
export function clampTop(top: number, { total, page }: Extent): number {
  return Math.max(0, Math.min(top, total - page));
}

/** Where a key leads, or null when it is not about scrolling. */
export function scrolled(top: number, key: Key, extent: Extent): number | null {
  const by = stepOf(key, extent);
  return by === null ? null : clampTop(clampTop(top, extent) + by, extent);
}

/** `lines 3-9 of 40`, or null when all of them are seen. */
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
