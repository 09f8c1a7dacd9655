/** A hunk: after the lines named by its anchors, `old` becomes `fresh`. */
export type Hunk = { anchors: string[]; old: string[]; fresh: string[]; isAtEnd: boolean };

export type PatchChange =
  | { type: 'add'; path: string; lines: string[] }
  | { type: 'delete'; path: string }
  | { type: 'update'; path: string; moveTo?: string; hunks: Hunk[] };

export type ParsedPatch = { changes: PatchChange[] } | { error: string };

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** Parses the patch format of apply_patch: Begin Patch, Add, Update and Delete File, Move to, End of File. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.replaceAll(/\r\n?/g, '\n').trim().split('\n');
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch')
    return { error: 'The patch must start with the line "*** Begin Patch" and end with "*** End Patch".' };
  const changes: PatchChange[] = [];
  let at = 1;
  while (at < lines.length - 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at++;
      continue;
    }
    const [, kind, name = ''] = HEADER.exec(line.trim()) ?? [];
    if (kind === undefined)
      return {
        error: `Line ${at + 1} must be "*** Add File: ", "*** Update File: " or "*** Delete File: " with a path, not: ${line}`,
      };
    const body = bodyAfter(lines, at);
    const change = changeOf(kind, name.trim(), body);
    if ('error' in change) return { error: `${name.trim()}: ${change.error}` };
    changes.push(change);
    at += 1 + body.length;
  }
  return changes.length === 0 ? { error: 'The patch contains no change.' } : { changes };
}

function bodyAfter(lines: readonly string[], header: number): string[] {
  const rest = lines.slice(header + 1, -1);
  const end = rest.findIndex((line) => HEADER.test(line));
  return end === -1 ? rest : rest.slice(0, end);
}

function changeOf(kind: string, path: string, body: readonly string[]): PatchChange | { error: string } {
  if (kind === 'Delete')
    return body.every((line) => line.trim() === '')
      ? { type: 'delete', path }
      : { error: 'lines follow Delete File.' };
  if (kind === 'Add') {
    const end = body.findLastIndex((line) => line.trim() !== '') + 1;
    const wrong = body.slice(0, end).find((line) => !line.startsWith('+'));
    if (wrong !== undefined) return { error: `each line of a new file starts with +, not: ${wrong}` };
    return { type: 'add', path, lines: body.slice(0, end).map((line) => line.slice(1)) };
  }
  const [first = '', ...others] = body;
  const moveTo = /^\*\*\* Move to: (.+)$/.exec(first.trimEnd())?.[1]?.trim();
  const hunks = hunksOf(moveTo === undefined ? body : others);
  if ('error' in hunks) return hunks;
  if (hunks.length === 0 && moveTo === undefined) return { error: 'it has no changed lines.' };
  return { type: 'update', path, hunks, ...(moveTo !== undefined && { moveTo }) };
}

function hunksOf(body: readonly string[]): Hunk[] | { error: string } {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  const open = () => {
    hunk = { anchors: [], old: [], fresh: [], isAtEnd: false };
    hunks.push(hunk);
    return hunk;
  };
  for (const line of body) {
    const mark = line[0];
    if (line.startsWith('@@')) {
      const isStacked = hunk !== undefined && hunk.old.length + hunk.fresh.length === 0;
      const current = isStacked && hunk ? hunk : open();
      // Line numbers of a unified diff say nothing here: lines are found by their text.
      const anchor = line
        .slice(2)
        .replace(/^ ?-\d+(,\d+)? \+\d+(,\d+)? @@/, '')
        .trim();
      if (anchor !== '') current.anchors.push(anchor);
    } else if (line.trimEnd() === '*** End of File') (hunk ?? open()).isAtEnd = true;
    else if (mark === '+') (hunk ?? open()).fresh.push(line.slice(1));
    else if (mark === '-') (hunk ?? open()).old.push(line.slice(1));
    else if (mark === ' ' || line === '') {
      const current = hunk ?? open();
      current.old.push(line.slice(1));
      current.fresh.push(line.slice(1));
    } else return { error: `each line of a hunk starts with a space, + or -, not: ${line}` };
  }
  const changed = hunks
    .map(withoutBlankEnd)
    .filter(({ old, fresh }) => old.join('\n') !== fresh.join('\n') || old.length !== fresh.length);
  return changed;
}

/** An empty line before the next header is not part of the file. */
function withoutBlankEnd(hunk: Hunk): Hunk {
  const isBlank = hunk.old.at(-1) === '' && hunk.fresh.at(-1) === '' && hunk.old.length > 1;
  return isBlank && !hunk.isAtEnd
    ? { ...hunk, old: hunk.old.slice(0, -1), fresh: hunk.fresh.slice(0, -1) }
    : hunk;
}
