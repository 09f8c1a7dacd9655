/** The open files of an editor, by absolute path. */
export type EditorBuffers = {
  /** The text as the editor has it, also if it is not saved yet. Null if the editor cannot say. */
  read(path: string): Promise<string | null>;
  /** Replaces the text and saves it. Absent if the editor only lets us read. */
  write?(path: string, text: string): Promise<void>;
};
