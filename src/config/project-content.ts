/** A file of the project that may loosen settings or run something, as it stands now. `name` is from the root. */
export type ProjectContent = { name: string; file: string; text: string };
