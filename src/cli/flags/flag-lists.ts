import { statSync } from 'node:fs';
import path from 'node:path';
import { splitRules } from '../../contract/rule-syntax.ts';
import { unlessErrno } from '../../lib/files/errno.ts';

/** Flags that other assistants let several values follow, and whether an argument is one more of them. */
const LISTS: Readonly<Record<string, (argument: string) => boolean>> = {
  '--allowedTools': isRuleList,
  '--allowed-tools': isRuleList,
  '--disallowedTools': isRuleList,
  '--disallowed-tools': isRuleList,
  '--tools': isRuleList,
  '--add-dir': isFolder,
  '--mcp-config': (argument) => /^\s*\{|\.json$/.test(argument),
};

/**
 * Repeats a flag before each of its values: `--add-dir ../a ../b` becomes `--add-dir=../a --add-dir=../b`. The
 * prompt may follow a list, so only what looks like a value is taken.
 */
export function spreadLists(args: readonly string[]): string[] {
  const spread: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const flag = args[i] ?? '';
    if (flag === '--') return [...spread, ...args.slice(i)];
    const isMore = Object.hasOwn(LISTS, flag) ? LISTS[flag] : undefined;
    if (!isMore || i + 1 === args.length) {
      spread.push(flag);
      continue;
    }
    do spread.push(`${flag}=${args[++i] ?? ''}`);
    while (i + 1 < args.length && isMore(args[i + 1] ?? ''));
  }
  return spread;
}

/** Parses a flag with a list, which may be repeated. */
export function ruleList(value: string, previous: string[] = []): string[] {
  return [...previous, ...splitRules(value)];
}

/** A sentence is not a list, even if all its words could be names of tools. */
function isRuleList(argument: string): boolean {
  if (/\s/.test(argument) && !/[(,]/.test(argument)) return false;
  return splitRules(argument).every((rule) => /^(?:mcp__\S+|mcp:\S+|[A-Z]\w*)(?:\(.*\))?$/s.test(rule));
}

/** A single word is more likely the prompt. */
function isFolder(argument: string): boolean {
  if (!/[/\\]|^\.\.?$/.test(argument)) return false;
  return unlessErrno('any', false, () => statSync(path.resolve(argument)).isDirectory());
}
