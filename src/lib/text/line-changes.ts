/** Lines `oldStart` to `oldEnd` became lines `newStart` to `newEnd`; from 0, ends excluded. */
export type LineChange = { oldStart: number; oldEnd: number; newStart: number; newEnd: number };

/** Changes separated by at most this many equal lines are one. */
const GAP = 2;
/** After this time the changed region counts as replaced: correct, if not minimal. */
const MAX_MS = 250;

/** How two texts differ, in order. Without these lines they are equal. */
export async function lineChanges(
  before: readonly string[],
  after: readonly string[],
): Promise<LineChange[]> {
  const { head, tail } = commonEnds(before, after);
  if (head === before.length && head === after.length) return [];
  const { diffArrays } = await import('diff');
  const oldPart = before.slice(head, before.length - tail);
  const newPart = after.slice(head, after.length - tail);
  const parts = diffArrays([...oldPart], [...newPart], { timeout: MAX_MS }) ?? [
    { removed: true, added: false, value: oldPart },
    { removed: false, added: true, value: newPart },
  ];
  const changes: LineChange[] = [];
  let oldAt = head;
  let newAt = head;
  for (const { added, removed, value } of parts) {
    const oldEnd = added ? oldAt : oldAt + value.length;
    const newEnd = removed ? newAt : newAt + value.length;
    if (added || removed) {
      const last = changes.at(-1);
      if (last && oldAt - last.oldEnd <= GAP && newAt - last.newEnd <= GAP)
        Object.assign(last, { oldEnd, newEnd });
      else changes.push({ oldStart: oldAt, oldEnd, newStart: newAt, newEnd });
    }
    oldAt = oldEnd;
    newAt = newEnd;
  }
  return changes;
}

/** How many leading and trailing lines are equal, without counting any twice. */
export function commonEnds(
  before: readonly string[],
  after: readonly string[],
): { head: number; tail: number } {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { head, tail };
}
