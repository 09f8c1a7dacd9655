import type { SlashCommand } from '../contract/command.ts';

export const diff: SlashCommand = {
  name: 'diff',
  forGuests: true,
  description: 'Show uncommitted changes, or any git diff: /diff --stat, /diff main src',
  async execute(words, { call, print, repositories = [] }) {
    if (!call) return print('Git is not available here.');
    const wanted = words.length === 0 ? ['HEAD'] : words;
    const strange = wanted.find((word) => !/^[\w@{}~^./:+=,-]+$/.test(word));
    if (strange !== undefined) return print(`/diff takes commits, options and paths, not ${strange}.`);
    const show = async (folder?: string): Promise<string> => {
      const place = folder === undefined ? {} : { working_directory: folder };
      const status = await call('Bash', { command: 'git status --short', ...place });
      if (!status.success) return status.text;
      const command = `git --no-pager diff --no-color ${wanted.join(' ')}`;
      const { text } = await call('Bash', { command, ...place });
      const fresh = words.length > 0 ? [] : untracked(status.text);
      const changes = text === NOTHING ? [] : [text.trimEnd()];
      const news = fresh.length > 0 ? [`Untracked files:\n${fresh.join('\n')}`] : [];
      return [...changes, ...news].join('\n') || 'Nothing has changed.';
    };
    if (repositories.length <= 1) return print(await show());
    for (const { folder } of repositories) print(`${folder}:\n${await show(folder)}`);
  },
};

/** The output of Bash for a command that printed nothing. */
const NOTHING = '(no output)';

function untracked(status: string): string[] {
  return status.split('\n').flatMap((line) => (line.startsWith('?? ') ? [`  ${line.slice(3)}`] : []));
}
