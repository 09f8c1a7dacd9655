import type { SlashCommand } from '../contract/command.ts';
import { NO_REPOSITORY } from './commit.ts';

export const review: SlashCommand = {
  name: 'review',
  description:
    'Let a subagent that changes nothing review changes: /review, /review staged, a branch, a commit or a range',
  async execute(args, { repository, print }) {
    if (!(await repository?.state()) || !repository) return print(NO_REPOSITORY);
    const done = await repository.review(args.join(' '));
    print(done ? `Review of ${done.what}:\n\n${done.text}` : 'There is nothing to review.');
  },
};
