/** The state of a path: a file's content, or a link's target. */
export type Content = { type: 'file' | 'link'; bytes: Buffer; mode: number };

/** What a new content would do: why it matters, and the command with the same effect if no tool may write it. */
export type Concern = { because: string; sameAs?: string };

/** `via` is the link that makes it a startup file; without that link it would be an ordinary file. */
export type Place = {
  path: string;
  because: string;
  via?: string;
  /** For files that often change harmlessly: null if this change is harmless. Otherwise every change counts. */
  judge?(before: Content | null, after: Content): Concern | null;
};

/** How a change of a file of this name is judged; undefined for most names. */
export type JudgeOf = (name: string) => Place['judge'];
