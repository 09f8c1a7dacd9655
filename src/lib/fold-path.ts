/** Code points that are drawn as nothing; some file systems leave them out of a name. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What Windows drops from the end of a name: dots, blanks, and the name of a stream. */
const WINDOWS_END = /(?<=[^/])(?::\$?[a-z_]*|[. ])+(?=\/|$)/g;

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

function foldCharacters(file: string): string {
  const visible = file.normalize('NFKC').replace(IGNORABLE, '');
  // Up first: the dotless i and the long s have no lower case but themselves.
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}
