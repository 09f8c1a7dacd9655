import type { FileChanges, HunkChange } from '../../../src/frontends/acp/extension-methods.ts';
import type { ChangedFile, ChangedHunk } from '../connection.ts';

const STATUS = { new: 'added', deleted: 'deleted', changed: 'modified' } as const;

/** The agent's list of changes as the chat shows it. */
export function changedFiles(files: readonly FileChanges[]): ChangedFile[] {
  return files.map(({ path, change, hunks }) => ({
    path,
    status: STATUS[change],
    hunks: hunks.map(shownHunk),
  }));
}

function shownHunk({ id, what, patch, lines }: HunkChange): ChangedHunk {
  const heading = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@.*\n/.exec(patch);
  // Not a change of lines, such as the mode of a file.
  if (!lines || !heading) return { id, oldStart: 0, newStart: 0, lines: [` ${what}`] };
  const shown = patch.slice(heading[0].length).split('\n');
  if (shown.at(-1) === '') shown.pop();
  return { id, oldStart: Number(heading[1]), newStart: Number(heading[2]), lines: shown };
}
