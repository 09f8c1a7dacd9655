import { parsePatch } from 'diff';

/**
 * One place of a change. `oldText` is null for a new file. `oldLine` is its first line in the old text; in the new
 * text, `line` is the first line of the place and `changed` the first one that differs.
 */
type Hunk = { oldText: string | null; newText: string; oldLine: number; line: number; changed: number };

/** The hunks of a unified diff, each with its text before and after. */
export function patchHunks(patch: string): Hunk[] {
  const start = patch.search(/^@@ /m);
  if (start < 0) return [];
  const isNew = patch.startsWith('--- /dev/null\n');
  return parsePatch(patch.slice(start)).flatMap(({ hunks }) =>
    hunks.map(({ lines, oldStart, newStart }) => {
      const line = Math.max(1, newStart);
      return {
        oldText: isNew ? null : side(lines, '-'),
        newText: side(lines, '+'),
        oldLine: Math.max(1, oldStart),
        line,
        changed: line + lines.findIndex((text) => !text.startsWith(' ')),
      };
    }),
  );
}

/** The lines that are only on this side, or on both. */
function side(lines: readonly string[], sign: '-' | '+'): string {
  let text = '';
  lines.forEach((line, index) => {
    if (line[0] !== sign && line[0] !== ' ') return;
    text += line.slice(1) + (lines[index + 1]?.startsWith('\\') ? '' : '\n');
  });
  return text;
}
