import type { Reached } from '../shell/reach.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** What `/undo` does not bring back although it happens in the project. A table with its own examples. */
export type IrreversibleRule = {
  because: string;
  matches(program: string, words: readonly string[]): boolean;
  examples: { hits: readonly string[]; misses: readonly string[] };
};

export const irreversibleRules: readonly IrreversibleRule[] = [
  {
    because: 'git discards changes that no commit holds',
    matches: (program, [sub, ...rest]) =>
      program === 'git' &&
      ((sub === 'reset' && rest.includes('--hard')) ||
        (sub === 'clean' && rest.some((word) => /^-[a-zA-Z]*f|^--force$/.test(word))) ||
        (sub === 'stash' && /^(drop|clear)$/.test(rest[0] ?? '')) ||
        (/^(checkout|switch)$/.test(sub ?? '') &&
          rest.some((word) => /^(-f|--force|--discard-changes)$/.test(word)))),
    examples: {
      hits: [
        'git reset --hard HEAD~1',
        'git clean -fdx',
        'git stash drop',
        'git checkout -f main',
        '(cd a; git stash clear)',
      ],
      misses: [
        'git reset HEAD a',
        'git clean -n',
        'git stash',
        'git stash pop',
        'git checkout main',
        'git commit -m "reset --hard"',
      ],
    },
  },
  {
    because: 'git deletes commits or the names that lead to them',
    matches: (program, [sub, ...rest]) =>
      program === 'git' &&
      ((sub === 'branch' && rest.some((word) => /^-[a-zA-Z]*D|^--delete$|^-d$/.test(word))) ||
        (sub === 'tag' && rest.some((word) => /^(-d|--delete)$/.test(word))) ||
        (sub === 'reflog' && /^(expire|delete)$/.test(rest[0] ?? '')) ||
        (sub === 'update-ref' && rest.includes('-d')) ||
        (sub === 'gc' && rest.some((word) => word.startsWith('--prune'))) ||
        /^(prune|filter-branch|filter-repo)$/.test(sub ?? '')),
    examples: {
      hits: [
        'git branch -D old',
        'git tag -d v1',
        'git reflog expire --all',
        'git gc --prune=now',
        'git filter-branch x',
      ],
      misses: ['git branch new', 'git tag v1', 'git reflog', 'git gc', 'git branch --show-current'],
    },
  },
  {
    because: 'deletes the history of the repository or the whole project',
    matches: (program, words) =>
      /^(rm|shred|mv)$/.test(program) &&
      (program === 'shred' ||
        words.some((word) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(word)) ||
        program === 'mv') &&
      words.some((word) =>
        (program === 'mv' ? /^(\.\/)?\.git\/?$/ : /^(\.\/)?(\.|\*|\.\*)$|^\.\/$|(^|\/)\.git\/?$/).test(word),
      ),
    examples: {
      hits: ['rm -rf .git', 'rm -rf *', 'rm -rf ./*', 'rm -r .', 'mv .git /tmp/x', 'rm -rf sub/.git'],
      misses: ['rm -rf dist', 'rm a', 'rm -rf node_modules', 'mv a b', 'rm -rf .cache', 'rm .gitignore'],
    },
  },
];

/** Why what a line does cannot be taken back, or null. */
export function irreversibleBecause(reached: readonly Reached[]): string | null {
  for (const { command } of reached) {
    const words = argsOf(command).map(({ text }) => text);
    const program = programOf(command);
    const plain = program === 'git' ? withoutFolder(words) : words;
    const rule = irreversibleRules.find(({ matches }) => matches(program, plain));
    if (rule !== undefined) return rule.because;
  }
  return null;
}

/** `git -C sub --no-pager reset` is a reset. */
function withoutFolder(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, i) => !word.startsWith('-') && !/^-[cC]$/.test(words[i - 1] ?? ''));
  return at === -1 ? words : words.slice(at);
}
