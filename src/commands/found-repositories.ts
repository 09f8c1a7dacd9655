import type { CommandContext, Repository, RepositoryState } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';

export const NO_REPOSITORY = 'This folder is not in a git repository.';

export type FoundRepository = { repository: Repository; state: RepositoryState };

/**
 * The repositories of the folders that are open, that of the working directory first. One that git must not
 * run in is named and left out if there are others.
 */
export async function foundRepositories({
  repositories = [],
  print,
}: Pick<CommandContext, 'repositories' | 'print'>): Promise<FoundRepository[]> {
  const found: FoundRepository[] = [];
  for (const repository of repositories) {
    try {
      const state = await repository.state();
      if (state) found.push({ repository, state });
    } catch (error) {
      if (!(error instanceof UserError) || repositories.length === 1) throw error;
      print(`${repository.folder}: ${error.message}`);
    }
  }
  return found;
}
