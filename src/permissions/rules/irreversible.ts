import type { Reached } from '../shell/reach.ts';
import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** What `/undo` does not bring back although it happens in the project. A table with its own examples. */
export type IrreversibleRule = {
  because: string;
  matches(program: string, words: readonly string[]): boolean;
  examples: { hits: readonly string[]; misses: readonly string[] };
};

/** A repository's own files, except for the locks that a dead process left behind. */
const GIT_FILE = /(^|\/)\.git(\/(?!.*\.lock$).*)?$/;
const EVERYTHING = /^(\.\/)*(\.|\*|\.\*|\.\/)$/;

export const irreversibleRules: readonly IrreversibleRule[] = [
  {
    because: 'discards changes that no commit holds',
    matches: (program, [sub = '', ...rest]) =>
      program === 'git' &&
      ((sub === 'reset' && has(rest, /^--(hard|merge)$/)) ||
        (sub === 'clean' && has(rest, /^-[a-zA-Z]*f|^--force$/) && !has(rest, /^-[a-zA-Z]*n|^--dry-run$/)) ||
        (sub === 'stash' && /^(drop|clear)$/.test(rest[0] ?? '')) ||
        (/^(worktree|submodule)$/.test(sub) &&
          /^(remove|deinit)$/.test(rest[0] ?? '') &&
          has(rest, /^(-f+|--force)$/)) ||
        (/^(checkout|switch)$/.test(sub) && has(rest, /^(-f|--force|--discard-changes)$/))),
    examples: {
      hits: [
        'git reset --hard HEAD~1',
        'git clean -fdx',
        'git stash drop',
        'git checkout -f main',
        '(cd a; git stash clear)',
        'git reset --merge',
        'git worktree remove --force ../a',
        'git submodule deinit -f sub',
        'git -C a -c x=y reset --hard',
      ],
      misses: [
        'git reset HEAD a',
        'git clean -n',
        'git clean -fn',
        'git stash',
        'git stash pop',
        'git checkout main',
        'git commit -m "reset --hard"',
        'git worktree remove ../a',
      ],
    },
  },
  {
    because: 'deletes commits or the names that lead to them',
    matches: (program, [sub = '', ...rest]) =>
      program === 'git' &&
      // Without force, git keeps a branch that is not merged.
      ((sub === 'branch' &&
        (has(rest, /^-[a-zA-Z]*[DMC]/) ||
          (has(rest, /^(-[a-zA-Z]*[dmc][a-zA-Z]*|--delete|--move|--copy)$/) &&
            has(rest, /^(-[a-zA-Z]*f[a-zA-Z]*|--force)$/)))) ||
        (sub === 'tag' && has(rest, /^(-d|--delete|-f|--force)$/)) ||
        (/^(reflog|notes)$/.test(sub) && /^(expire|delete|drop|remove|prune)$/.test(rest[0] ?? '')) ||
        (/^(update-ref|symbolic-ref)$/.test(sub) && has(rest, /^(-d|--delete|--stdin)$/)) ||
        (sub === 'gc' && has(rest, /^--prune/)) ||
        (sub === 'replace' && has(rest, /^-[df]$/)) ||
        /^(prune|filter-branch|filter-repo)$/.test(sub)),
    examples: {
      hits: [
        'git branch -D old',
        'git branch -d --force old',
        'git branch -df old',
        'git branch -M a b',
        'git tag -d v1',
        'git tag -f v1',
        'git reflog expire --all',
        'git gc --prune=now',
        'git filter-branch x',
        'git update-ref -d refs/heads/a',
      ],
      misses: [
        'git branch new',
        'git branch -d merged',
        'git branch --delete merged',
        'git branch -m new',
        'git tag v1',
        'git reflog',
        'git gc',
        'git branch --show-current',
      ],
    },
  },
  {
    because: 'removes the history of a repository',
    matches: (program, words) =>
      (/^(rm|unlink|shred|mv|truncate|tee)$/.test(program) && has(words, GIT_FILE)) ||
      (program === 'find' && has(words, GIT_FILE) && findDeletes(words)),
    examples: {
      hits: [
        ...['rm -rf .git', 'mv .git /tmp/x', 'rm -rf sub/.git', 'rm .git/HEAD', 'rm -rf .git/objects/'],
        ...['find .git -delete', 'shred .git/index', 'truncate -s 0 .git/index'],
      ],
      misses: [
        ...['rm a', 'rm .gitignore', 'rm -f .git/index.lock', 'mv a b', 'rm -rf .github', 'cat .git/HEAD'],
        'find .git -name "*.lock"',
      ],
    },
  },
  {
    because: 'deletes everything in a folder, with its history',
    matches: (program, words) =>
      (program === 'rm' && has(words, /^-[a-zA-Z]*[rR]|^--recursive$/) && has(words, EVERYTHING)) ||
      (program === 'find' &&
        findDeletes(words) &&
        !has(words, /^-(i?name|i?path|i?wholename|i?regex|empty|newer\w*|mtime|mmin|size)$/) &&
        (!/^[^-(!]/.test(words[0] ?? '') || has(words, EVERYTHING))),
    examples: {
      hits: ['rm -rf *', 'rm -rf ./*', 'rm -r .', 'rm -rf .*', 'find . -delete', 'find . -exec rm -rf {} +'],
      misses: [
        ...['rm -rf dist', 'rm -rf node_modules', 'rm -rf .cache', 'rm *', 'find . -name "*.o" -delete'],
        ...['find dist -delete', 'find . -type d -empty -delete', 'find . -exec cat {} +'],
      ],
    },
  },
  {
    because: 'overwrites a file so that nothing can bring it back',
    matches: (program) => program === 'shred' || program === 'srm' || program === 'wipe',
    examples: { hits: ['shred -u a'], misses: ['rm a', 'echo shred'] },
  },
];

function has(words: readonly string[], pattern: RegExp): boolean {
  return words.some((word) => pattern.test(word));
}

function findDeletes(words: readonly string[]): boolean {
  return words.some(
    (word, i) =>
      word === '-delete' || (/^-(exec|ok)/.test(words[i - 1] ?? '') && /(^|\/)(rm|shred|unlink)$/.test(word)),
  );
}

/** Why what one command does cannot be taken back, or null. */
export function irreversibleEffect(command: SimpleCommand): string | null {
  const words = argsOf(command).map(({ text }) => text);
  const program = programOf(command);
  const plain = program === 'git' ? withoutFolder(words) : words;
  const rule = irreversibleRules.find(({ matches }) => matches(program, plain));
  if (rule === undefined) return null;
  return `${program === 'git' ? `git ${plain[0]}` : program} ${rule.because}`;
}

/** Why what a line does cannot be taken back, or null. */
export function irreversibleBecause(reached: readonly Reached[]): string | null {
  for (const { command } of reached) {
    const because = irreversibleEffect(command);
    if (because !== null) return because;
  }
  return null;
}

/** `git -C sub --no-pager reset` is a reset. */
function withoutFolder(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, i) =>
      !word.startsWith('-') && !/^(-[cC]|--git-dir|--work-tree|--namespace)$/.test(words[i - 1] ?? ''),
  );
  return at === -1 ? words : words.slice(at);
}
