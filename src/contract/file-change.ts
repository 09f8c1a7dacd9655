/**
 * A file about to be changed. Null stands for nothing. `was` tells what stood there, a file when it is left out;
 * `before` is a file's content, the target of a link, or empty for a folder.
 */
export type FileChange = {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  was?: { type: 'file' | 'link' | 'folder'; mode: number };
  /** Folders that had to be made for it, the outermost first. */
  madeFolders?: string[];
};
