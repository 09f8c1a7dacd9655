import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { Files } from '../../contract/tool.ts';
import { joinItem } from '../../memory/note-file.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';

export type InstructionFileDeps = {
  cwd: string;
  files: Pick<Files, 'stat' | 'read' | 'write'>;
  undo: Pick<UndoStore, 'beginRun'>;
  /** The number of messages of the session so far. */
  messages(): number;
  /** Saves the session even if it has no message yet: the file change is undone by its id. */
  keepSession(): Promise<void>;
};

const FILE = 'AGENTS.md';

/** Adds a line to AGENTS.md in the working directory, as a step that /undo takes back. */
export function createAddInstruction({ cwd, files, undo, messages, keepSession }: InstructionFileDeps) {
  return async (line: string): Promise<void> => {
    const file = path.join(cwd, FILE);
    const was = (await files.stat(file)) ? await files.read(file) : null;
    const text = was === null ? '# Instructions\n' : decoded(was.bytes);
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const lines = joinItem(text.replaceAll('\r\n', '\n'), `- ${line}`).replaceAll('\n', eol);
    await keepSession();
    undo.beginRun({ at: new Date().toISOString(), prompt: '/learned apply', message: messages() });
    await files.write(file, Buffer.from(lines), was);
  };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError(`${FILE} is not UTF-8 text.`, 'Convert it, or add the line yourself.');
  }
}
