/** A piece of code and what it is, such as `keyword`; an empty scope is plain. */
export type Piece = { text: string; scope: string };
export type Highlight = (code: string, language: string) => Piece[] | null;

/** Longer code is not highlighted: it would hold up the page. */
const LONGEST = 60_000;

let loaded: Highlight | null = null;
let loading: Promise<Highlight> | null = null;

/** Null until `loadHighlight` is done. */
export function highlightNow(code: string, language: string): Piece[] | null {
  return loaded && code.length <= LONGEST ? loaded(code, language) : null;
}

export function isHighlightLoaded(): boolean {
  return loaded !== null;
}

/** Fetches the grammars, which are a file of their own. Rejects where they cannot be loaded; code is plain then. */
export async function loadHighlight(): Promise<void> {
  loading ??= import('./grammars.ts').then(({ highlight }) => highlight);
  loaded = await loading;
}
