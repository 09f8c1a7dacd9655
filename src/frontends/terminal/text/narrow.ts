/**
 * Text of characters that take one column each and never combine with their neighbors: its width is its
 * length. Full Unicode support takes long to load, and most text does not need it.
 */
export const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u03ce\u0400-\u0482\u048a-\u0527\u2010-\u2027\u2030-\u205e\u2190-\u2319\u231c-\u2328\u232b-\u23e8\u2400-\u2426\u2500-\u25fc\u2610\u2611\u2713\u2717\u2800-\u28ff\u29d7]*$/;
