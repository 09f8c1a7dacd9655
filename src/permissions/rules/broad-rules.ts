/** A user's rule that allows more than it seems to. It still applies; this is the warning about it. */
export type BroadRule = {
  match: RegExp;
  opens: string;
  examples: { hits: string[]; misses: string[] };
};

export const broadRules: readonly BroadRule[] = [
  {
    match: /^Bash(\(\s*\*\s*\))?$/,
    opens: 'every command except those that are always blocked',
    examples: { hits: ['Bash', 'Bash(*)'], misses: ['Bash(ls *)', 'Read', 'Bash(\\*)'] },
  },
  {
    match: /^Bash\(git \*\)$/,
    opens: 'git -c … and git aliases too, which can run any program',
    examples: { hits: ['Bash(git *)'], misses: ['Bash(git log *)', 'Bash(git)'] },
  },
  {
    match: /^Bash\((npm|pnpm|yarn|bun|deno)( run| exec| x| dlx)? \*\)$/,
    opens: 'any script of the project, even after it changes',
    examples: {
      hits: ['Bash(npm run *)', 'Bash(pnpm *)'],
      misses: ['Bash(npm run build)', 'Bash(npm ls *)'],
    },
  },
  {
    match: /^Bash\((npx|pnpx|bunx|uvx|pipx run) \*\)$/,
    opens: 'programs that are downloaded first, too',
    examples: { hits: ['Bash(npx *)'], misses: ['Bash(npx tsc *)'] },
  },
  {
    match:
      /^Bash\((env|xargs|find|timeout|nice|nohup|time|command|exec|eval|watch|parallel|ssh|docker|podman)( -\S+)* \*\)$/,
    opens: 'any other program passed to it, too',
    examples: { hits: ['Bash(env *)', 'Bash(timeout *)'], misses: ['Bash(timeout 5 npm test)', 'Bash(env)'] },
  },
  {
    match:
      /^Bash\((sh|bash|zsh|dash|fish|pwsh|python[\d.]*|node|ruby|perl|php|lua|Rscript|osascript|awk|sed)( -\S+)* \*\)$/,
    opens: 'any code passed to it, too',
    examples: {
      hits: ['Bash(python *)', 'Bash(python3 -c *)', 'Bash(bash -c *)', 'Bash(node *)'],
      misses: ['Bash(python setup.py *)', 'Bash(node scripts/build.mjs)'],
    },
  },
];

/** One sentence for each rule that allows more than it seems to. */
export function warnAboutBroadRules(allow: readonly string[]): string[] {
  return allow.flatMap((rule) => {
    const words = rule.trim().replace(/:\*\)$/, ' *)');
    const broad = broadRules.find(({ match }) => match.test(words));
    return broad ? [`The rule ${rule.trim()} allows ${broad.opens}.`] : [];
  });
}
