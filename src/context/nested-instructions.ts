import type { Message } from '../contract/message.ts';

const MARK = '\n\n[Instructions for work in ';

/**
 * The instructions of a folder below the working directory, appended to the result that first accessed it.
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

/** The folders whose instructions are already in the conversation. */
export function notedFolders(messages: readonly Message[]): Set<string> {
  return new Set(
    folderNotesIn(messages).flatMap((note) => {
      const [head = ''] = note.slice(MARK.length).split('\n', 1);
      const end = head.lastIndexOf(', from ');
      return end === -1 ? [] : [head.slice(0, end)];
    }),
  );
}

/** Whether a path is third-party code: instructions in packages are ignored. */
export function isForeign(file: string): boolean {
  return /(^|[\\/])(node_modules|bower_components|vendor|third_party|site-packages|\.?venv|\.git)([\\/]|$)/.test(
    file,
  );
}
