import type { CommandContext, Repository, SlashCommand } from '../contract/command.ts';
import { type FoundRepository, foundRepositories, NO_REPOSITORY } from './found-repositories.ts';

export const commit: SlashCommand = {
  name: 'commit',
  needs: 'user',
  description: 'Commit staged changes with a generated message: /commit [what it should say]',
  async execute(args, context) {
    const { print } = context;
    const found = await foundRepositories(context);
    const changed = found.filter(({ state }) => state.staged.length + state.unstaged.length > 0);
    const chosen = changed.length > 0 ? changed : found.slice(0, 1);
    if (chosen.length === 0) return print(NO_REPOSITORY);
    for (const one of chosen) {
      if (found.length > 1) print(`${one.repository.folder}:`);
      await commitIn(one, args, context);
    }
  },
};

async function commitIn(
  { repository, state }: FoundRepository,
  args: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { print } = context;
  if (state.staged.length === 0 && !(await offerToStage(state.unstaged, repository, context))) {
    if (state.untracked.length > 0) print(`Untracked: ${state.untracked.join(', ')}`);
    return;
  }
  if (state.hooks.length > 0) print(`Repository hooks that will run: ${state.hooks.join(', ')}`);
  const message = await agreedMessage(args.join(' '), repository, context);
  if (message === null) return print('Nothing was committed.');
  const { success, output } = await repository.commit(message);
  print(success ? output : `Git refused the commit:\n${output}`);
}

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
