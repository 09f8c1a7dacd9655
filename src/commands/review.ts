import type { SlashCommand } from '../contract/command.ts';
import { NO_REPOSITORY } from './commit.ts';

export const review: SlashCommand = {
  name: 'review',
  description:
    'Review changes with a read-only subagent: /review, /review staged, a branch, a commit or a range',
  async execute(args, { repository, print }) {
    if (!(await repository?.state()) || !repository) return print(NO_REPOSITORY);
    const done = await repository.review(args.join(' '));
    print(done ? `Review of ${done.what}:\n\n${done.text}` : 'Nothing to review.');
  },
};
