/** One line of a unified diff with the number it has in the file; `old` for what goes, `new` for the rest. */
export type PatchLine = { type: 'same' | 'added' | 'removed'; text: string; number: number };

/** Lines of one place in a file. */
export type Hunk = PatchLine[];

const HEADING = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** A unified diff of one file. What is no part of a hunk is left out. */
export function readPatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) {
      // An empty range names the line before it, which no line of the hunk counts.
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
