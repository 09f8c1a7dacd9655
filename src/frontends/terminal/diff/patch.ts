/**
 * One line of a unified diff with its line number in the file: in the old version for removed lines, else in
 * the new one.
 */
export type PatchLine = { type: 'same' | 'added' | 'removed'; text: string; number: number };

/** Consecutive lines of a file. */
export type Hunk = PatchLine[];

const HEADING = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Parses a unified diff of one file. Everything outside hunks is ignored. */
export function readPatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) {
      // An empty range gives the line before it, which is not part of the hunk.
      oldLine = Number(heading[1]);
      newLine = Number(heading[2]);
      hunks.push([]);
      continue;
    }
    const hunk = hunks.at(-1);
    if (!hunk) continue;
    const text = line.slice(1).replace(/\r$/, '');
    if (line.startsWith('+')) hunk.push({ type: 'added', text, number: newLine++ });
    else if (line.startsWith('-')) hunk.push({ type: 'removed', text, number: oldLine++ });
    else if (!line.startsWith('\\')) {
      hunk.push({ type: 'same', text, number: newLine++ });
      oldLine++;
    }
  }
  return hunks;
}
