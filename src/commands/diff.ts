import type { SlashCommand } from '../contract/command.ts';

export const diff: SlashCommand = {
  name: 'diff',
  description: 'Show uncommitted changes, or any git diff: /diff --stat, /diff main src',
  async execute(words, { call, print }) {
    if (!call) return print('Git is not available here.');
    const wanted = words.length === 0 ? ['HEAD'] : words;
    const strange = wanted.find((word) => !/^[\w@{}~^./:+=,-]+$/.test(word));
    if (strange !== undefined) return print(`/diff takes commits, options and paths, not ${strange}.`);
    const status = await call('Bash', { command: 'git status --short' });
    if (!status.success) return print(status.text);
    const { text } = await call('Bash', { command: `git --no-pager diff --no-color ${wanted.join(' ')}` });
    const fresh = words.length > 0 ? [] : untracked(status.text);
    const changes = text === NOTHING ? [] : [text.trimEnd()];
    const news = fresh.length > 0 ? [`Untracked files:\n${fresh.join('\n')}`] : [];
    print([...changes, ...news].join('\n') || 'Nothing has changed.');
  },
};

/** The output of Bash for a command that printed nothing. */
const NOTHING = '(no output)';

function untracked(status: string): string[] {
  return status.split('\n').flatMap((line) => (line.startsWith('?? ') ? [`  ${line.slice(3)}`] : []));
}
