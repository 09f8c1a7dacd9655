import type { SlashCommand } from '../contract/command.ts';
import { UnknownRevisionError } from '../contract/errors.ts';
import { foundRepositories, NO_REPOSITORY } from './found-repositories.ts';

export const review: SlashCommand = {
  name: 'review',
  forGuests: true,
  description:
    'Review changes with a read-only subagent: /review, /review staged, a branch, a commit or a range',
  async execute(args, context) {
    const { print } = context;
    const found = await foundRepositories(context);
    if (found.length === 0) return print(NO_REPOSITORY);
    const wanted = args.join(' ');
    const unknown: UnknownRevisionError[] = [];
    let reviewed = 0;
    for (const { repository } of found) {
      try {
        const done = await repository.review(wanted);
        if (done === null) continue;
        reviewed += 1;
        print(`Review of ${done.what}:\n\n${done.text}`);
      } catch (error) {
        // Another repository may have that branch or commit.
        if (!(error instanceof UnknownRevisionError)) throw error;
        unknown.push(error);
      }
    }
    if (unknown.length === found.length && unknown[0]) throw unknown[0];
    if (reviewed === 0) print('Nothing to review.');
  },
};
