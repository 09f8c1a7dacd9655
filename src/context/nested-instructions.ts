import type { Message } from '../contract/message.ts';

const MARK = '\n\n[Instructions for work in ';

/**
 * The instructions of a folder below the working directory, or the rules for some files, appended to the result
 * that first accessed one. `folder` may be patterns.
 */
export function folderNote({ folder, file, text }: { folder: string; file: string; text: string }): string {
  return `${MARK}${folder}, from ${file}]\n${text.trim()}`;
}

export function isFolderNote(text: string): boolean {
  return text.startsWith(MARK);
}

/** All notes in these messages, without duplicates. */
export function folderNotesIn(messages: readonly Message[]): string[] {
  const notes = messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'text' && isFolderNote(part.text) ? [part.text] : [],
        )
      : [],
  );
  return [...new Set(notes)];
}

/** The folders whose instructions are already in the conversation, and the files they are from. */
export function notedPlaces(messages: readonly Message[]): { folders: Set<string>; files: Set<string> } {
  const heads = folderNotesIn(messages).flatMap((note) => {
    const [head = ''] = note.slice(MARK.length).split('\n', 1);
    const end = head.lastIndexOf(', from ');
    return end === -1 ? [] : [{ folder: head.slice(0, end), file: head.slice(end + 7).replace(/\]$/, '') }];
  });
  return {
    folders: new Set(heads.map(({ folder }) => folder)),
    files: new Set(heads.map(({ file }) => file)),
  };
}

/** Whether a path is third-party code: instructions in packages are ignored. */
export function isForeign(file: string): boolean {
  return /(^|[\\/])(node_modules|bower_components|vendor|third_party|site-packages|\.?venv|\.git)([\\/]|$)/.test(
    file,
  );
}
