import path from 'node:path';
import { foldPath } from '../lib/paths/fold-path.ts';

/**
 * Files that other programs run or obey automatically: the single list behind the questions about writes, the
 * read-only mounts of the sandbox, the check after each sandboxed command, and the table in the
 * documentation. Files that a person runs on purpose, such as a script in `package.json`, are not listed:
 * that would be every second write.
 *
 * A pattern names a file in any folder; `*` matches any part of a name, `{a,b}` one of several, and a
 * trailing `/` matches a folder with everything in it. Case is ignored (`lib/paths/fold-path.ts`).
 */
export type StartupFiles = {
  because: string;
  /**
   * Existing files in a project that are read-only for sandboxed commands, with the topmost folder of the
   * pattern. For files that take effect automatically, as soon as a folder is opened or git is used.
   */
  sealed: readonly string[];
  /**
   * Detected after a sandboxed command has changed one, set aside and asked about. The same applies to new
   * files that match `sealed`.
   */
  checked: readonly string[];
  /** Asked about when a tool writes it, but too common in program output to check after commands. */
  unchecked?: readonly string[];
  examples: { hits: readonly string[]; misses: readonly string[] };
};

export const startupFiles: readonly StartupFiles[] = [
  {
    because: 'git runs commands from it',
    sealed: ['.husky/', '.githooks/', '.lefthook/'],
    checked: [
      '{githooks,git-hooks,.git-hooks}/',
      '.config/git/',
      '.gitconfig',
      '.gitattributes',
      '.gitmodules',
      '{,.}lefthook{,-local}.{yml,yaml,toml,json}',
      '.pre-commit-{config,hooks}.{yml,yaml}',
      '.overcommit.yml',
      '.huskyrc*',
    ],
    // Git folders have separate mounts: see `git-folders.ts` of the sandbox.
    unchecked: ['.git/'],
    examples: {
      hits: [
        '.git/hooks/pre-commit',
        '.git/config',
        'a/.git/HEAD',
        '.GIT/hooks/post-checkout',
        '.g\u200cit/hooks/x',
        '.git',
        '.husky/pre-push',
        '.githooks/pre-commit',
        'git-hooks/pre-commit',
        '.gitattributes',
        '.gitmodules',
        '.pre-commit-config.yaml',
        'lefthook.yml',
        '.lefthook-local.yaml',
        '.huskyrc.js',
      ],
      misses: [
        '.gitignore',
        '.github/dependabot.yml',
        'src/hooks/use-git.ts',
        'git/hooks.md',
        'docs/gitconfig.md',
      ],
    },
  },
  {
    because: 'aca reads its configuration from it',
    sealed: ['.ai-assistant/', '.ai-assistant.json', '.mcp.json'],
    // Instructions steer every later run, unnoticed, so they count as settings.
    checked: ['agents{,.local,.override}.md'],
    examples: {
      hits: [
        '.ai-assistant.json',
        '.ai-assistant/config.json',
        '.ai-assistant',
        '.mcp.json',
        'AGENTS.md',
        'packages/a/AGENTS.md',
      ],
      misses: ['ai-assistant.md', 'docs/agents.ts', 'mcp.json'],
    },
  },
  {
    because: 'AI assistants follow it',
    sealed: ['.claude/', '.cursor/'],
    checked: [
      '.{agents,codex,gemini,opencode,windsurf,roo,clinerules}/',
      '.{cursorrules,windsurfrules}',
      '{claude,gemini}{,.local}.md',
      '.github/copilot-instructions.md',
      '.github/{instructions,prompts,agents}/',
    ],
    examples: {
      hits: ['.cursor/mcp.json', '.claude/settings.json', 'CLAUDE.md', '.github/copilot-instructions.md'],
      misses: ['src/cursor/index.ts', 'docs/claude-notes.md'],
    },
  },
  {
    because: 'other programs run it when they open the folder',
    sealed: [
      '.vscode/{tasks,settings,launch,extensions,mcp}.json',
      '.idea/',
      '.zed/{tasks,settings,debug}.json',
      '.devcontainer/',
      '.envrc',
    ],
    checked: [
      '*.code-workspace',
      '.run/*.run.xml',
      '.fleet/',
      '.devcontainer.json',
      '.{vimrc,nvimrc,exrc,nvim.lua}',
      '.dir-locals{,-2}.el',
      '{,.}mise{,.local}.toml',
    ],
    examples: {
      hits: [
        '.vscode/tasks.json',
        '.vscode/settings.json',
        'app.code-workspace',
        '.idea/runConfigurations/a.xml',
        '.devcontainer/devcontainer.json',
        '.devcontainer.json',
        '.envrc',
        '.nvim.lua',
        '.mise.toml',
      ],
      misses: ['.vscode/notes.md', 'envrc', 'idea.md', 'src/mise.ts'],
    },
  },
  {
    because: 'shells and interpreters run it at startup',
    sealed: [],
    checked: [
      '.{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,zshrc,zshenv,zprofile,zlogin,zlogout}',
      '.{kshrc,cshrc,tcshrc,login,inputrc,xprofile,xinitrc,xsession,xsessionrc,pam_environment}',
      '.{tmux.conf,screenrc,gdbinit,lldbinit,psqlrc,sqliterc,irbrc,pryrc,rprofile,pythonrc,pythonrc.py}',
      '{site,user}customize.py',
      '{site,dist}-packages/*.pth',
      '*profile.ps1',
      '.config/{fish,environment.d,nushell}/',
      'etc/profile',
      'etc/profile.d/',
    ],
    // Machine-learning models use such names.
    unchecked: ['*.pth'],
    examples: {
      hits: [
        '.bashrc',
        'home/.zshrc',
        '.profile',
        '.config/fish/config.fish',
        '.gdbinit',
        'lib/sitecustomize.py',
        'x.pth',
        'Microsoft.PowerShell_profile.ps1',
      ],
      misses: ['bashrc.md', '.prettierrc', 'src/profile.ts', 'conftest.py', 'customize.py'],
    },
  },
  {
    because: 'package managers run commands from it',
    sealed: [],
    checked: [
      '.npmrc',
      '.yarnrc{,.yml}',
      '.yarn/{releases,plugins}/',
      '.pnp{,.loader}.{js,cjs,mjs}',
      '.pnpmfile.{js,cjs,mjs}',
      'bunfig.toml',
      '.cargo/config{,.toml}',
      '.bundle/config',
      '.gemrc',
      'pip.conf',
      '.mvn/',
      'gradle/wrapper/',
      '.gradle/init.d/',
      'init.gradle{,.kts}',
    ],
    examples: {
      hits: [
        '.npmrc',
        '.yarnrc.yml',
        '.yarn/releases/yarn-4.cjs',
        '.pnpmfile.cjs',
        '.cargo/config.toml',
        '.mvn/extensions.xml',
      ],
      misses: ['package.json', 'yarn.lock', 'cargo.toml', 'build.gradle', 'makefile', 'pnpm-workspace.yaml'],
    },
  },
  {
    // They run elsewhere as soon as someone pushes, without another review.
    because: "the CI server runs it with the repository's secrets",
    sealed: [],
    checked: [
      '.github/{workflows,actions}/',
      '.gitlab-ci.{yml,yaml}',
      '.gitlab/ci/',
      '.{circleci,buildkite,gitea,forgejo,woodpecker}/',
      '.{travis,drone,woodpecker,appveyor,cirrus}.{yml,yaml}',
      'appveyor.{yml,yaml}',
      'azure-pipelines*.{yml,yaml}',
      'bitbucket-pipelines.{yml,yaml}',
      'jenkinsfile*',
    ],
    examples: {
      hits: [
        '.github/workflows/ci.yml',
        '.github/actions/a/action.yml',
        '.gitlab-ci.yml',
        'Jenkinsfile',
        '.circleci/config.yml',
      ],
      misses: ['.github/issue_template.md', '.github/CODEOWNERS', 'docs/workflows/ci.md', 'scripts/ci.sh'],
    },
  },
  {
    because: 'the system runs it automatically',
    sealed: [],
    checked: [
      '{.config,etc,.local/share,usr/lib,lib}/systemd/',
      '.config/autostart/',
      'library/{launchagents,launchdaemons}/',
      'etc/cron*/',
      'spool/cron/',
      '{crontab,crontabs}',
      'start menu/programs/startup/',
    ],
    examples: {
      hits: [
        'home/.config/systemd/user/a.service',
        '.config/autostart/a.desktop',
        'Library/LaunchAgents/a.plist',
        'etc/cron.d/a',
        'crontab',
      ],
      misses: ['deploy/app.service', 'src/systemd.ts', 'cron.ts', 'docs/crontab.md'],
    },
  },
];

/** In the home folder in addition to the above: folders of programs and editor settings. */
const homeFolders: readonly string[] = ['.config/nvim', '.emacs.d', '.local/bin', 'bin'];

/** Literal names, in lower case except where the name is always spelled otherwise. */
const spelled: Readonly<Record<string, string>> = { 'library/launchagents': 'Library/LaunchAgents' };

const judged = startupFiles.map((group) => ({
  group,
  match: matcher([...group.sealed, ...group.checked, ...(group.unchecked ?? [])]),
}));
const looked = startupFiles.map((group) => ({ group, match: matcher([...group.sealed, ...group.checked]) }));
/** Parent folders of checked files, as `.github` is of `.github/workflows`. */
const above = matcher(
  startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .flatMap((pattern) => {
      const parts = pattern.replace(/\/$/, '').split('/').slice(0, -1);
      return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    }),
);

const names = new RegExp(
  `^(${startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .map((pattern) => sourceOf(path.posix.basename(pattern)))
    .join('|')})[. :]*$`,
);

/** The reason why every write to a path is asked about, or undefined. */
export function startupRule(file: string): StartupFiles | undefined {
  return ruleIn(judged, file);
}

/** The same for a path changed by a sandboxed command. */
export function checkedStartupRule(file: string): StartupFiles | undefined {
  return ruleIn(looked, file);
}

/** Whether a name can be a startup file in any folder: a fast check for whole trees. */
export function mayBeStartupFile(name: string): boolean {
  return !/^[ -~]*$/.test(name) || names.test(name.toLowerCase());
}

/** Whether a folder with this name can contain startup files: then a link to one is followed. */
export function isAboveStartupFile(folder: string): boolean {
  return above.test(folded(folder));
}

/** Names in a project folder that are mounted read-only if they exist. */
export const sealedNames: readonly string[] = [
  ...new Set(
    startupFiles.flatMap(({ sealed }) => sealed.flatMap(expanded).map((one) => one.split('/')[0] ?? one)),
  ),
];

/** Names in the home folder that are mounted read-only if they exist. */
export const homeStartupNames: readonly string[] = [
  ...startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .filter((pattern) => !pattern.includes('*'))
    .map((pattern) => pattern.replace(/\/$/, ''))
    .map((name) => spelled[name] ?? name),
  ...homeFolders,
];

function ruleIn(rules: readonly { group: StartupFiles; match: RegExp }[], file: string) {
  const name = folded(file);
  return rules.find(({ match }) => match.test(name))?.group;
}

function folded(file: string): string {
  return foldPath(file.replaceAll('\\', '/'));
}

function matcher(patterns: readonly string[]): RegExp {
  return new RegExp(`(^|/)(${patterns.map(sourceOf).join('|')})$`);
}

function sourceOf(pattern: string): string {
  const isFolder = pattern.endsWith('/');
  const source = (isFolder ? pattern.slice(0, -1) : pattern)
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^}]*)\}/g, (_, words: string) => `(${words.split(',').join('|')})`);
  return isFolder ? `${source}(/.*)?` : source;
}

function expanded(pattern: string): string[] {
  const found = /\{([^}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  const [whole, words = ''] = found;
  return words.split(',').flatMap((word) => expanded(pattern.replace(whole, word)));
}
