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

/** Where a link leads after the move; null if it did not lead into the moved folder by its path. */
export function movedTarget(target: Buffer, { from, to }: Move): Buffer | null {
  const old = Buffer.from(from);
  if (from === to || !target.subarray(0, old.length).equals(old)) return null;
  const rest = target.subarray(old.length);
  return rest.length === 0 || rest[0] === 0x2f ? Buffer.concat([Buffer.from(to), rest]) : null;
}
