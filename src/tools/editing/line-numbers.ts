type Numbered = { first: number; count: number; text: string };

/**
 * Text pasted from Read, where each line starts with its number and a tab, without them; null for any other
 * text.
 */
export function withoutLineNumbers(text: string): Numbered | null {
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n');
  const first = Number(/^ *(\d+)/.exec(lines[0] ?? '')?.[1] ?? Number.NaN);
  const bare: string[] = [];
  for (const [i, line] of lines.entries()) {
    // The number of an empty line may have lost its tab.
    const [, number, rest] = /^ *(\d+)(?:\t(.*))?$/s.exec(line) ?? [];
    if (number === undefined || Number(number) !== first + i) return null;
    bare.push(rest ?? '');
  }
  if (bare.every((line) => line.trim() === '')) return null;
  return { first, count: bare.length, text: bare.join('\n') + (ended ? '\n' : '') };
}

/** Whether any line seems to start with a line number. */
export function hasLineNumbers(text: string): boolean {
  return /^ *\d+\t/m.test(text);
}
