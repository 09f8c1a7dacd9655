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
  /** It is the working directory, which the user has not trusted: alone, it can give away nothing but itself. */
  own?: true;
  /** It describes the tools of this MCP server, which may get what their descriptions ask for, within the project. */
  server?: string;
  /** For an imported session: as many of its first messages came with it, and nobody here has typed them. */
  imported?: number;
};

/** An imported session does not say who wrote it. */
export function importedSession(messages: number): TextSource {
  return { kind: 'foreign', name: 'the imported session', imported: messages };
}
