/** The pages in sidebar order. Missing pages are skipped; pages not listed here go under More. */
export const order: readonly { title: string; files: readonly string[] }[] = [
  {
    title: 'Get started',
    files: ['quick-start.md', 'install.md', 'concepts.md', 'terminal.md', 'troubleshooting.md'],
  },
  {
    title: 'Safety',
    files: ['permissions.md', 'sandbox.md', 'privacy.md', '../SECURITY.md'],
  },
  {
    title: 'Models',
    files: ['models.md', 'local-models.md', 'cost.md', 'cache.md', 'network.md'],
  },
  {
    title: 'Use',
    files: ['tools.md', 'sessions.md', 'context.md', 'memory.md', 'subagents.md', 'git.md'],
  },
  {
    title: 'Automate',
    files: ['headless.md', 'ci.md', 'api.md', 'observability.md'],
  },
  {
    title: 'Extend',
    files: ['commands.md', 'skills.md', 'plugins.md', 'hooks.md', 'mcp.md'],
  },
  {
    title: 'Reference',
    files: ['reference.md', 'completion.md', 'windows.md', '../CHANGELOG.md'],
  },
  {
    title: 'About',
    files: ['comparison.md', 'bench.md', '../ARCHITECTURE.md', 'stack.md', '../CONTRIBUTING.md'],
  },
];

export type Group = { title: string; files: string[] };

/** `files` are all pages, relative to the docs folder. */
export function grouped(files: readonly string[]): Group[] {
  const named = order.map(({ title, files: wanted }) => ({
    title,
    files: wanted.filter((file) => files.includes(file)),
  }));
  const known = new Set(order.flatMap((group) => group.files));
  const more = { title: 'More', files: files.filter((file) => !known.has(file)) };
  return [...named, more].filter((group) => group.files.length > 0);
}
