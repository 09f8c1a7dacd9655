/**
 * A file about to be changed. Null means that nothing exists. `was` is the type of what existed, a file by
 * default; `before` is a file's content, a link's target, or empty for a folder. `becomes` is the type of what
 * will exist: by default a file with the same mode.
 */
export type FileChange = {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  was?: { type: 'file' | 'link' | 'folder'; mode: number };
  becomes?: { type: 'file' | 'link'; mode: number | null };
  /** Folders created for it, outermost first. */
  madeFolders?: string[];
};
