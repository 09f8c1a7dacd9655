/** The rules of all `--allow` flags in a text, as a shell would parse them. */
export function flagsIn(text: string): string[] {
  return [...text.matchAll(/--allow ('(?:[^']|'\\'')*')/g)].map(([, quoted = '']) =>
    quoted.slice(1, -1).replaceAll("'\\''", "'"),
  );
}
