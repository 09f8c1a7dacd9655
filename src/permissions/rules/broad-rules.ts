/** A rule of the user's own that opens more than its words say. It works; this is what to tell of it. */
export type BroadRule = {
  match: RegExp;
  opens: string;
  examples: { hits: string[]; misses: string[] };
};

export const broadRules: readonly BroadRule[] = [
  {
    match: /^Bash(\(\s*\*\s*\))?$/,
    opens: 'every command there is, but those that are always refused',
    examples: { hits: ['Bash', 'Bash(*)'], misses: ['Bash(ls *)', 'Read', 'Bash(\\*)'] },
  },
  {
    match: /^Bash\(git \*\)$/,
    opens: 'also git -c … and git aliases, which can run any program',
    examples: { hits: ['Bash(git *)'], misses: ['Bash(git log *)', 'Bash(git)'] },
  },
  {
    match: /^Bash\((npm|pnpm|yarn|bun|deno)( run| exec| x| dlx)? \*\)$/,
    opens: "also whatever the project's scripts say, also after they were changed",
    examples: {
      hits: ['Bash(npm run *)', 'Bash(pnpm *)'],
      misses: ['Bash(npm run build)', 'Bash(npm ls *)'],
    },
  },
  {
    match: /^Bash\((npx|pnpx|bunx|uvx|pipx run) \*\)$/,
    opens: 'also programs that are downloaded first',
    examples: { hits: ['Bash(npx *)'], misses: ['Bash(npx tsc *)'] },
  },
  {
    match:
      /^Bash\((env|xargs|find|timeout|nice|nohup|time|command|exec|eval|watch|parallel|ssh|docker|podman)( -\S+)* \*\)$/,
    opens: 'also any other program, which is then named behind it',
    examples: { hits: ['Bash(env *)', 'Bash(timeout *)'], misses: ['Bash(timeout 5 npm test)', 'Bash(env)'] },
  },
  {
    match:
      /^Bash\((sh|bash|zsh|dash|fish|pwsh|python[\d.]*|node|ruby|perl|php|lua|Rscript|osascript|awk|sed)( -\S+)* \*\)$/,
    opens: 'also any program written in it',
    examples: {
      hits: ['Bash(python *)', 'Bash(python3 -c *)', 'Bash(bash -c *)', 'Bash(node *)'],
      misses: ['Bash(python setup.py *)', 'Bash(node scripts/build.mjs)'],
    },
  },
];

/** A sentence for each rule that opens more than it seems to. */
export function warnAboutBroadRules(allow: readonly string[]): string[] {
  return allow.flatMap((rule) => {
    const broad = broadRules.find(({ match }) => match.test(rule.trim()));
    return broad ? [`The rule ${rule.trim()} allows ${broad.opens}.`] : [];
  });
}
