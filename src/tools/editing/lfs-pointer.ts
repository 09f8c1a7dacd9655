const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n(?:ext-\d-\S+ .*\r?\n)*oid sha256:/;

/** What the model has to know of a file that Git LFS stores elsewhere; empty for any other. */
export function lfsNote(text: string): string[] {
  return POINTER.test(text)
    ? ['[this is a Git LFS pointer, not the content of the file: `git lfs pull` downloads that]']
    : [];
}
