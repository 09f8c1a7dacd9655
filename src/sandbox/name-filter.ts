export type NameFilter = {
  /** Narrows ripgrep's walk. Not `--glob`: a positive one brings ignored files back in. */
  args: string[];
  /** The whole of the pattern, on a path relative to the searched folder, with `/` between segments. */
  matches(relative: string): boolean;
};

/** A pattern without a slash matches names at any depth; dot files match only a pattern that names a dot. */
export async function nameFilter(pattern: string | undefined): Promise<NameFilter> {
  if (pattern === undefined) return { args: [], matches: () => true };
  const { default: picomatch } = await import('picomatch');
  const hidden = namesHidden(pattern);
  const isMatch = picomatch(pattern, { dot: hidden, basename: !pattern.includes('/') });
  return {
    args: [...(hidden ? ['--hidden'] : []), ...typeArgs(pattern)],
    matches: (relative) => isMatch(relative),
  };
}

export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern);
}

/** ripgrep's file types look at names alone and respect ignore files, so the last segment can serve as one. */
function typeArgs(pattern: string): string[] {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const plain = /^[\w.*?-]*(\{[\w.,*?-]+\})?[\w.*?-]*$/.test(name);
  if (!plain || name === '' || name.startsWith('*.*') || /^\*+$/.test(name)) return [];
  return ['--type-add', `wanted:${name}`, '--type', 'wanted'];
}
