import type { CommandContext, Repository, SlashCommand } from '../contract/command.ts';

export const NO_REPOSITORY = 'This folder is not in a git repository.';

export const commit: SlashCommand = {
  name: 'commit',
  needs: 'user',
  description: 'Commit staged changes with a generated message: /commit [what it should say]',
  async execute(args, context) {
    const { repository, print } = context;
    const state = await repository?.state();
    if (!repository || !state) return print(NO_REPOSITORY);
    if (state.staged.length === 0 && !(await offerToStage(state.unstaged, repository, context))) {
      if (state.untracked.length > 0) print(`Untracked: ${state.untracked.join(', ')}`);
      return;
    }
    if (state.hooks.length > 0) print(`Repository hooks that will run: ${state.hooks.join(', ')}`);
    const message = await agreedMessage(args.join(' '), repository, context);
    if (message === null) return print('Nothing was committed.');
    const { success, output } = await repository.commit(message);
    print(success ? output : `Git refused the commit:\n${output}`);
  },
};

async function offerToStage(
  unstaged: readonly string[],
  repository: Repository,
  { print, confirm }: CommandContext,
): Promise<boolean> {
  if (unstaged.length === 0) {
    print('Nothing to commit. Stage new files with `git add`.');
    return false;
  }
  print(unstaged.map((file) => `  ${file}`).join('\n'));
  if (await confirm('Nothing is staged. Stage these changes?')) {
    await repository.stageChanged();
    return true;
  }
  print('Nothing was committed.');
  return false;
}

/** Null when the user declines. An answer other than yes or no is feedback for the next draft. */
async function agreedMessage(
  wishes: string,
  repository: Repository,
  voice: Pick<CommandContext, 'print' | 'ask'>,
): Promise<string | null> {
  const { print, ask } = voice;
  const message = await repository.draft(wishes);
  print(message.replaceAll(/^(?=.)/gm, '  '));
  const answer = (await ask('Commit with this message? [y/n, or say what to change] '))?.trim() ?? '';
  if (answer.toLowerCase() === 'y') return message;
  if (answer === '' || /^no?$/i.test(answer)) return null;
  const more = `${answer}\nThe draft before this one was:\n${message}`;
  return agreedMessage([wishes, more].filter(Boolean).join('\n'), repository, voice);
}
