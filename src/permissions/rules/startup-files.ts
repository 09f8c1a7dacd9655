import type { Rule } from '../../contract/permission.ts';

/** Writes that hand other programs something to run, or this one something to obey: asked about in every mode. */
export const startupFiles: readonly Rule[] = [
  {
    kind: 'write',
    match: /(^|\/)(\.git|\.husky|\.githooks)(\/|$)/i,
    verdict: 'ask',
    because: 'git runs what stands there',
    examples: {
      hits: ['.git/hooks/pre-commit', '.husky/pre-push', 'a/.git/HEAD'],
      misses: ['.gitignore', '.github/x.yml'],
    },
  },
  {
    kind: 'write',
    match: /(^|\/)\.(ai-assistant(\.json|\/.*)?|mcp\.json)$/i,
    verdict: 'ask',
    because: "it is the assistant's own configuration",
    examples: {
      hits: ['.ai-assistant.json', '.ai-assistant/config.json', '.mcp.json'],
      misses: ['ai-assistant.md'],
    },
  },
  {
    kind: 'write',
    match:
      /(^|\/)(\.vscode\/(tasks|settings|launch)\.json|\.idea\/.*|\.envrc|\.devcontainer(\.json|\/.*)|\.gitmodules|\.gitattributes)$/i,
    verdict: 'ask',
    because: 'other programs act on it when the folder is opened',
    examples: {
      hits: ['.vscode/tasks.json', '.envrc', '.devcontainer/devcontainer.json'],
      misses: ['.vscode/notes.md', 'envrc'],
    },
  },
  {
    kind: 'write',
    match:
      /(^|\/)\.(bashrc|bash_profile|profile|zshrc|zshenv|zprofile|bash_login|bash_logout|npmrc|yarnrc(\.yml)?|pnp\.cjs)$/i,
    verdict: 'ask',
    because: 'shells and package tools run it on start-up',
    examples: { hits: ['.bashrc', 'home/.zshrc', '.yarnrc.yml'], misses: ['bashrc.md', '.prettierrc'] },
  },
];
