export type NameQuery = {
  pattern?: string | undefined;
  /** A ripgrep file type, such as ts or py. */
  type?: string | undefined;
  /** Includes hidden and ignored files. */
  everything?: boolean | undefined;
};

export type NameFilter = {
  /** Narrows ripgrep's walk. Not `--glob`: a positive one includes ignored files. */
  args: string[];
  /** Whether hidden files must be searched. */
  hidden: boolean;
  /** Whether all names except hidden ones match, so that there may be very many. */
  all: boolean;
  /** The complete pattern, on a path relative to the searched folder, with `/` between segments. */
  matches(relative: string): boolean;
};

/** A pattern without a slash matches names at any depth; dot files match only a pattern that names a dot. */
export async function nameFilter({ pattern, type, everything }: NameQuery): Promise<NameFilter> {
  const walk = everything ? ['--no-ignore'] : [];
  const kind = type === undefined ? [] : [`--type=${ripgrepType(type)}`];
  if (pattern === undefined) {
    return { args: [...walk, ...kind], hidden: everything ?? false, all: true, matches: () => true };
  }
  const hidden = everything || namesHidden(pattern);
  if (/^(\*\*\/)*\*{1,2}$/.test(pattern)) {
    const dot = pattern.includes('/') ? /(^|\/)\./ : /(^|\/)\.[^/]*$/;
    return { args: [...walk, ...kind], hidden, all: true, matches: (name) => hidden || !dot.test(name) };
  }
  const { default: picomatch } = await import('picomatch');
  const isMatch = picomatch(pattern, { dot: hidden, basename: !pattern.includes('/') });
  return {
    // Two types would widen the search instead of narrowing it.
    args: [...walk, ...(type === undefined ? typeArgs(pattern) : kind), ...depthArgs(pattern)],
    hidden,
    all: false,
    matches: (relative) => isMatch(relative),
  };
}

export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern);
}

/** ripgrep's file types match names only and respect ignore files, so the last segment can be used as one. */
function typeArgs(pattern: string): string[] {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const plain = /^[\w.*?-]*(\{[\w.,*?-]+\})?[\w.*?-]*$/.test(name);
  if (!plain || name === '' || name.startsWith('*.*') || /^\*+$/.test(name)) return [];
  return ['--type-add', `wanted:${name}`, '--type', 'wanted'];
}

/** A pattern with only plain slashes reaches no deeper than its segments. */
function depthArgs(pattern: string): string[] {
  if (!pattern.includes('/') || /\*\*|[{}()[\]!\\]/.test(pattern)) return [];
  return [`--max-depth=${pattern.split('/').filter((segment) => segment !== '').length}`];
}

/** Common names of languages that ripgrep knows by another name. */
const typeNames: Record<string, string> = {
  javascript: 'js',
  jsx: 'js',
  tsx: 'ts',
  golang: 'go',
  rs: 'rust',
  rb: 'ruby',
  kt: 'kotlin',
  'c++': 'cpp',
  'c#': 'cs',
  bash: 'sh',
  shell: 'sh',
  yml: 'yaml',
  htm: 'html',
};

function ripgrepType(type: string): string {
  const name = type.toLowerCase().replace(/^\*?\./, '');
  return typeNames[name] ?? name;
}
