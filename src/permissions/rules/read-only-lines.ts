/**
 * Whole command lines, by their words, that need no table. Excludes tools that follow a config file in the
 * folder.
 */
export const readOnlyLines: readonly string[] = [
  ...[
    'node',
    'npm',
    'python',
    'python3',
    'ruby',
    'perl',
    'php',
    'gcc',
    'g++',
    'clang',
    'cmake',
    'git',
    'bash',
    'rg',
    'jq',
  ].map((program) => `${program} --version`),
  ...['node -v', 'npm -v', 'python -V', 'python3 -V', 'java -version', 'ps', 'ps aux', 'ps -ef'],
  ...[
    'git version',
    'git stash list',
    'git stash show',
    'git stash show -p',
    'git tag',
    'git worktree list',
    'git reflog',
  ],
];

/**
 * A project's own scripts: harmless only in a project that the user trusts. `npm run dev` and similar never
 * end; they are free there too, since a command has a time limit and can run in the background.
 */
const SCRIPTS = ['dev', 'build', 'test', 'lint', 'typecheck', 'type-check', 'check'];
export const projectScripts: readonly string[] = [
  ...['npm', 'yarn', 'pnpm', 'bun'].flatMap((tool) => SCRIPTS.map((script) => `${tool} run ${script}`)),
  ...[
    'npm test',
    'npm t',
    'yarn test',
    'yarn build',
    'yarn lint',
    'yarn dev',
    'pnpm test',
    'pnpm build',
    'pnpm lint',
  ],
  ...['pnpm dev', 'pnpm t', 'bun test'],
];
