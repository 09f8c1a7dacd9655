import picomatch from 'picomatch';

/** The verdict of one .gitignore on folders. */
export type IgnoreRules = (relative: string) => 'ignored' | 'kept' | undefined;

type Rule = { kept: boolean; matches(relative: string): boolean };

/**
 * Conservative: a folder counts as ignored only if that is certain, since watching too many folders is safer
 * than too few. `relative` is the path from the .gitignore to the folder, with forward slashes.
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
  // Rare and ambiguous: such a line ignores nothing here, and may keep anything.
  if (!/^[\w./*@+~ -]+$/.test(pattern)) return kept ? { kept, matches: () => true } : null;
  // Ignores the folder's content, which another line may keep, but not the folder itself.
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
