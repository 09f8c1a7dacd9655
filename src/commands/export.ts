import type { SlashCommand } from '../contract/command.ts';

const WITH_SECRETS = '--with-secrets';

export const exportSession: SlashCommand = {
  name: 'export',
  description:
    'Save this conversation to a file: /export talk.md, talk.html or talk.json; --with-secrets keeps passwords and keys',
  async execute(words, { sessions, print }) {
    await sessions.ready;
    const { id, messages } = sessions.session;
    if (messages.length === 0) return print('Nothing to export yet.');
    const withSecrets = words.includes(WITH_SECRETS);
    const file = words.filter((word) => word !== WITH_SECRETS).join(' ') || `session-${id.slice(0, 8)}.md`;
    print(`Written to ${await sessions.exportTo(file, { withSecrets })}`);
  },
};
