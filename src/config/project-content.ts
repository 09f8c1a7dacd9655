/**
 * A project file that may loosen settings or run code, with its current content. `name` is relative to the
 * root.
 */
export type ProjectContent = {
  name: string;
  file: string;
  text: string;
  /** Why it could not be read, for the user. */
  problem?: string;
};
