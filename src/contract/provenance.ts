/**
 * Where something that the model has read came from. `foreign` text was written by others and may contain
 * orders to the model. The other kinds are private: files of the project, files of the user elsewhere, secrets.
 */
export type TextSource = {
  kind: 'foreign' | 'project' | 'user' | 'secret';
  /** As the user is shown it: a URL, a path. */
  name: string;
  /** For foreign text: the addresses of the repository's remotes when it was read, before it could add any. */
  remotes?: readonly string[];
};
