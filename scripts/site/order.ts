export type Group = { title: string; about: string; files: string[] };

type Entry = { title: string; about: string; pages: Readonly<Record<string, string>> };

/**
 * The pages of the documentation, relative to docs/, in the order of the index and of the site's sidebar, with what you
 * find in each. Missing pages are skipped; pages not listed here go under More.
 */
export const order: readonly Entry[] = [
  {
    title: 'Start here',
    about: 'From nothing to a first conversation.',
    pages: {
      'quick-start.md': 'connect a model and fix something, in five minutes',
      'install.md': 'npm, the standalone binary, from source; update, remove',
      'concepts.md': 'runs, approvals, context, sessions, and a glossary',
      'privacy.md': 'what is sent, to whom, when, and how secrets are kept out of it',
      'comparison.md': 'measured beside other assistants, and when to choose those',
      'troubleshooting.md': 'what a message means, and how to fix the problem',
    },
  },
  {
    title: 'Switch from another assistant',
    about: 'What of your files, settings and flags works here.',
    pages: {
      'coming-from-claude-code.md': 'settings, hooks, commands, skills, plugins, flags',
      'coming-from-codex.md': 'config.toml, prompts, approval and sandbox modes',
      'coming-from-gemini-cli.md': 'settings.json, GEMINI.md, MCP servers',
      'coming-from-cursor.md': 'mcp.json, rules, permissions',
      'coming-from-opencode.md': 'opencode.json, agents, permissions',
    },
  },
  {
    title: 'Use',
    about: 'Daily work.',
    pages: {
      'terminal.md': 'keys, modes, the screen',
      'screens.md': 'pictures of the terminal interface',
      'voice.md': 'dictate into the prompt',
      'tools.md': 'what the model can do',
      'sessions.md': 'resume, rewind, undo, move to another machine',
      'replay.md': 'run a session again and compare: bug reports, tests of hooks and plugins, models',
      'context.md': 'what the model sees, and what happens when it is too much',
      'memory.md': 'notes that outlast a session',
      'subagents.md': 'delegate work to a context of its own',
      'diagnostics.md': 'new errors after every change: language servers, checks',
      'git.md': 'commits, reviews, branches, worktrees',
      'server.md': 'sessions without a terminal: background, attach, browsers, several people',
      'editors.md': 'VS Code, Zed, JetBrains, Neovim, Emacs and others, over the Agent Client Protocol',
      'headless.md': 'scripts: one prompt, one result, exit codes, JSON events',
      'batch.md': 'many tasks at once, each in a worktree of its own',
      'fleet.md': 'the same on many machines: workers, a queue, one budget',
    },
  },
  {
    title: 'Configure',
    about: 'Models, limits and rules.',
    pages: {
      'models.md': 'providers, keys, local servers, aliases',
      'local-models.md': 'a model inside the program, offline',
      'permissions.md': 'modes, rules, trust',
      'guard.md': 'orders to the model in untrusted text',
      'sandbox.md': 'what commands can reach',
      'security-model.md': 'what is enforced, what is judged, and what is neither',
      'cost.md': 'budgets, retries, fallback models',
      'cache.md': 'prompt caching, cached results, Redis',
      'network.md': 'hosts, proxies, certificates, offline',
      'windows.md': 'what differs on Windows',
      'reference.md': 'every flag, command, key, setting and variable',
    },
  },
  {
    title: 'Extend',
    about: 'Your own commands, tools and programs.',
    pages: {
      'commands.md': 'slash commands in Markdown',
      'skills.md': 'instructions that the model loads when it needs them',
      'hooks.md': 'shell commands before and after calls',
      'mcp.md': 'tools of other programs, and this program as a server',
      'plugins.md': 'marketplaces, bundles, JavaScript modules',
      'api.md': 'the assistant inside your own program',
      '../examples/README.md': 'programs and files to copy',
    },
  },
  {
    title: 'Operate',
    about: 'Teams, CI and many machines.',
    pages: {
      'ci.md': 'pipelines, git hooks, containers',
      'observability.md': 'logs, statistics, quotas, metrics, traces',
      'completion.md': 'shell completion, `aca doctor`, updates, uninstall',
      '../SECURITY.md': 'threat model, limits, how to report a vulnerability',
      '../CHANGELOG.md': 'what changed',
    },
  },
  {
    title: 'Contribute',
    about: 'How it is built.',
    pages: {
      '../CONTRIBUTING.md': 'from a clone to a merged change',
      '../CODE_OF_CONDUCT.md': 'how we treat each other',
      '../ARCHITECTURE.md': 'where things live, and which way imports point',
      'stack.md': 'libraries and tools, and why',
      'bench.md': 'the latest figures, and how to measure',
      '../bench/results.md': 'every recorded run',
    },
  },
];

/** `files` are all pages, relative to the docs folder. The index itself is in no group. */
export function grouped(files: readonly string[]): Group[] {
  const named = order.map(({ title, about, pages }) => ({
    title,
    about,
    files: Object.keys(pages).filter((file) => files.includes(file)),
  }));
  const known = new Set([...order.flatMap(({ pages }) => Object.keys(pages)), INDEX]);
  const more = { title: 'More', about: '', files: files.filter((file) => !known.has(file)) };
  return [...named, more].filter((group) => group.files.length > 0);
}

/** The first page, relative to docs/. */
export const INDEX = 'README.md';

/** Pages of the order that are outside of docs/. */
export function pagesOutside(): string[] {
  return order.flatMap(({ pages }) => Object.keys(pages)).filter((file) => file.startsWith('../'));
}
