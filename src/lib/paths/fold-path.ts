/** Invisible code points; some file systems drop them from names. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What Windows strips from the end of a name: dots, spaces, and a stream name. */
const WINDOWS_END = /(?<=[^/])(?::\$?[a-z_]*|[. ])+(?=\/|$)/g;

const MOST_ROUNDS = 5;

/**
 * A path as the most lenient file system would interpret it: compatibility forms, case and invisible
 * characters are folded. For matching names against protective rules; two paths that fold alike need not be
 * the same file.
 */
export function foldPath(file: string): string {
  // Almost every path is plain ASCII, and this runs for every file of a search.
  const folded = /^[ -~]*$/.test(file) ? file.toLowerCase() : foldCharacters(file);
  return /[. :](\/|$)|:\$?[a-z_]*(\/|$)/.test(folded) ? folded.replace(WINDOWS_END, '') : folded;
}

/**
 * Some characters need more than one round: the capital sharp s becomes a small one, and that becomes two
 * letters.
 */
function foldCharacters(file: string): string {
  for (let folded = file, rounds = 0; ; rounds++) {
    const visible = folded.normalize('NFKC').replace(IGNORABLE, '');
    // Upper case first: the dotless i and the long s have no other lower case.
    const next = visible.toUpperCase().toLowerCase().normalize('NFKC');
    if (next === folded || rounds === MOST_ROUNDS) return next;
    folded = next;
  }
}
