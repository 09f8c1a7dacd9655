/** Code points that are drawn as nothing; some file systems leave them out of a name. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What Windows drops from the end of a name: dots, blanks, and the name of a stream. */
const WINDOWS_END = /(?<=[^/])(?::\$?[a-z_]*|[. ])+(?=\/|$)/g;

const MOST_ROUNDS = 5;

/**
 * A path as the most forgiving file system would read it: compatible forms of a character are one, case does not
 * count, and neither does what cannot be seen. For comparing names against rules that close something; two paths
 * that fold alike need not be one file.
 */
export function foldPath(file: string): string {
  // Almost every path is plain, and this is asked for every file of a search.
  const folded = /^[ -~]*$/.test(file) ? file.toLowerCase() : foldCharacters(file);
  return /[. :](\/|$)|:\$?[a-z_]*(\/|$)/.test(folded) ? folded.replace(WINDOWS_END, '') : folded;
}

/** Some characters take more than one round: the capital sharp s becomes a small one, and that two letters. */
function foldCharacters(file: string): string {
  for (let folded = file, rounds = 0; ; rounds++) {
    const visible = folded.normalize('NFKC').replace(IGNORABLE, '');
    // Up first: the dotless i and the long s have no lower case but themselves.
    const next = visible.toUpperCase().toLowerCase().normalize('NFKC');
    if (next === folded || rounds === MOST_ROUNDS) return next;
    folded = next;
  }
}
