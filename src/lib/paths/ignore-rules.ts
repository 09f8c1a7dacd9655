import picomatch from 'picomatch';

/** What one .gitignore says of folders. */
export type IgnoreRules = (relative: string) => 'ignored' | 'kept' | undefined;

type Rule = { kept: boolean; matches(relative: string): boolean };

/**
 * Only what surely ignores a folder counts as such: whatever else a line may mean, a folder too many is watched, and none
 * too few. `relative` is the folder from where the file is, with forward slashes.
 */
export function ignoreRules(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? []);
  return (relative) => {
    const last = rules.findLast(({ matches }) => matches(relative));
    return last && (last.kept ? 'kept' : 'ignored');
  };
}

function ruleOf(line: string): Rule | null {
  const trimmed = line.trimEnd();
  if (trimmed === '' || trimmed.startsWith('#')) return null;
  const kept = trimmed.startsWith('!');
  const pattern = (kept ? trimmed.slice(1) : trimmed).replace(/\/+$/, '');
  // Rare, and read in many ways: such a line ignores nothing here, and may keep anything.
  if (!/^[\w./*@+~ -]+$/.test(pattern)) return kept ? { kept, matches: () => true } : null;
  // What is in the folder is ignored, and may be kept by another line; the folder itself is not.
  if (!kept && pattern.endsWith('**')) return null;
  const isAnchored = pattern.includes('/');
  const bare = pattern.replace(/^\//, '');
  const matches = picomatch(isAnchored ? bare : `**/${bare}`, {
    dot: true,
    nobrace: true,
    noextglob: true,
    nonegate: true,
  });
  return { kept, matches };
}
