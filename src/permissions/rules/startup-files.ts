import type { Rule } from '../../contract/permission.ts';
import { foldPath } from '../../lib/fold-path.ts';

/**
 * Writes that hand other programs something to run, or this one something to obey: asked about in every mode. What
 * a person runs on purpose, such as a script in `package.json`, is not here: that would be every second write.
 * Matched against folded paths (`lib/fold-path.ts`) with `/` between segments.
 */
export const startupFiles: readonly Rule[] = [
  {
    kind: 'write',
    match:
      /(^|\/)(\.git|\.husky|\.?git-?hooks|\.lefthook|\.config\/git)(\/|$)|(^|\/)(\.gitconfig|\.gitattributes|\.gitmodules|\.?lefthook(-local)?\.(ya?ml|toml|json)|\.pre-commit-(config|hooks)\.ya?ml|\.overcommit\.yml|\.huskyrc[^/]*)$/i,
    verdict: 'ask',
    because: 'git runs what stands there',
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
    kind: 'write',
    // Instructions steer every later run, unseen, so they count as settings.
    match: /(^|\/)(\.ai-assistant(\.json|\/.*)?|\.mcp\.json|agents(\.(local|override))?\.md)$/i,
    verdict: 'ask',
    because: "it is the assistant's own configuration",
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
    kind: 'write',
    match:
      /(^|\/)(\.(claude|cursor|codex|gemini|windsurf|roo|clinerules)(\/.*)?|\.(cursorrules|windsurfrules)|(claude|gemini)(\.local)?\.md|\.github\/(copilot-instructions\.md|(instructions|prompts|agents)\/.*))$/i,
    verdict: 'ask',
    because: 'other assistants obey it',
    examples: {
      hits: ['.cursor/mcp.json', '.claude/settings.json', 'CLAUDE.md', '.github/copilot-instructions.md'],
      misses: ['src/cursor/index.ts', 'docs/claude-notes.md'],
    },
  },
  {
    kind: 'write',
    match:
      /(^|\/)(\.vscode\/(tasks|settings|launch|extensions|mcp)\.json|[^/]+\.code-workspace|\.idea(\/.*)?|\.run\/[^/]+\.run\.xml|\.zed\/(tasks|settings|debug)\.json|\.fleet\/.*|\.devcontainer(\.json|\/.*)|\.n?vimrc|\.nvim\.lua|\.exrc|\.dir-locals(-2)?\.el|\.envrc|\.?mise(\.local)?\.toml)$/i,
    verdict: 'ask',
    because: 'other programs act on it when the folder is opened',
    examples: {
      hits: [
        '.vscode/tasks.json',
        '.vscode/settings.json',
        'app.code-workspace',
        '.idea/runConfigurations/a.xml',
        '.devcontainer/devcontainer.json',
        '.envrc',
        '.nvim.lua',
        '.mise.toml',
      ],
      misses: ['.vscode/notes.md', 'envrc', 'idea.md', 'src/mise.ts'],
    },
  },
  {
    kind: 'write',
    match:
      /(^|\/)(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xprofile|xinitrc|xsession|xsessionrc|pam_environment|tmux\.conf|screenrc|gdbinit|lldbinit|psqlrc|sqliterc|irbrc|pryrc|rprofile|pythonrc(\.py)?)|(site|user)customize\.py|[^/]+\.pth|[^/]*profile\.ps1|\.config\/(fish|environment\.d|nushell)\/.*|etc\/profile(\.d\/.*)?)$/i,
    verdict: 'ask',
    because: 'shells and interpreters run it on start-up',
    examples: {
      hits: [
        '.bashrc',
        'home/.zshrc',
        '.profile',
        '.config/fish/config.fish',
        '.gdbinit',
        'lib/sitecustomize.py',
        'x.pth',
      ],
      misses: ['bashrc.md', '.prettierrc', 'src/profile.ts', 'conftest.py', 'customize.py'],
    },
  },
  {
    kind: 'write',
    match:
      /(^|\/)(\.npmrc|\.yarnrc(\.yml)?|\.yarn\/(releases|plugins)\/.*|\.pnp(\.loader)?\.[cm]?js|\.pnpmfile\.[cm]?js|bunfig\.toml|\.cargo\/config(\.toml)?|\.bundle\/config|\.gemrc|pip\.conf|\.mvn\/.*|gradle\/wrapper\/.*|\.gradle\/init\.d\/.*|init\.gradle(\.kts)?)$/i,
    verdict: 'ask',
    because: 'package tools run what it names',
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
    kind: 'write',
    // They run elsewhere, with the repository's secrets, as soon as somebody pushes: nobody looks at them again.
    match:
      /(^|\/)(\.github\/(workflows|actions)\/.*|\.gitlab-ci\.ya?ml|\.gitlab\/ci\/.*|\.circleci\/.*|\.buildkite\/.*|\.(gitea|forgejo|woodpecker)\/.*|\.(travis|drone|woodpecker|appveyor|cirrus)\.ya?ml|appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile[^/]*)$/i,
    verdict: 'ask',
    because: 'the build server runs it, with the secrets of the repository',
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
    kind: 'write',
    match:
      /(^|\/)((\.config|etc|\.local\/share|usr\/lib|lib)\/systemd\/.*|\.config\/autostart\/.*|library\/launch(agents|daemons)\/.*|etc\/cron[^/]*(\/.*)?|spool\/cron\/.*|crontabs?|start menu\/programs\/startup\/.*)$/i,
    verdict: 'ask',
    because: 'the system runs it by itself',
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

/** The rule by which writing to a path is asked about every time, if there is one. */
export function startupRule(file: string): Rule | undefined {
  const folded = foldPath(file.replaceAll('\\', '/'));
  return startupFiles.find(({ match }) => match.test(folded));
}
