import type { Finding } from '../contract/code-intelligence.ts';

/**
 * The findings that were not there before. Lines move, so a finding is recognized by what it says; of several
 * that say the same, those on lines that existed before are taken for the old ones.
 */
export function newFindings(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const old = groups(before);
  return [...groups(after)].flatMap(([key, found]) => {
    const earlier = old.get(key) ?? [];
    const count = found.length - earlier.length;
    if (count <= 0) return [];
    const lines = earlier.map(({ lineText }) => lineText);
    const unknown: Finding[] = [];
    const known: Finding[] = [];
    for (const finding of found) {
      const at = lines.indexOf(finding.lineText);
      if (at === -1) unknown.push(finding);
      else {
        lines.splice(at, 1);
        known.push(finding);
      }
    }
    return [...unknown, ...known.toReversed()].slice(0, count);
  });
}

function groups(findings: readonly Finding[]): Map<string, Finding[]> {
  const all = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { path, severity, source, code, message } = finding;
    const key = JSON.stringify([path, severity, source, code, message]);
    const found = all.get(key);
    if (found) found.push(finding);
    else all.set(key, [finding]);
  }
  return all;
}
