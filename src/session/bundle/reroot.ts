/** A folder that is at another place now. */
export type Move = { from: string; to: string };

/**
 * Replaces the moved folders wherever a text mentions them or something in them. `/srv/app-2` and `/old/srv/app` are not
 * in `/srv/app`.
 */
export function rerooting(moves: readonly Move[]): (text: string) => string {
  const known = moves
    .filter(({ from, to }) => from !== to && from.length > 1)
    .sort((a, b) => b.from.length - a.from.length);
  if (known.length === 0) return (text) => text;
  const places = known.map(({ from }) => from.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|');
  const pattern = new RegExp(String.raw`(?<![\w.-])(?:${places})(?![\w-]|\.\w)`, 'g');
  const newPlace = new Map(known.map(({ from, to }) => [from, to]));
  return (text) =>
    known.some(({ from }) => text.includes(from))
      ? text.replaceAll(pattern, (from) => newPlace.get(from) ?? from)
      : text;
}
