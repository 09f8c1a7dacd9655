import path from 'node:path';
import type { SlashCommand } from '../contract/command.ts';
import { type FoundRepository, foundRepositories, NO_REPOSITORY } from './found-repositories.ts';

const SHOWN = 20;

export const branch: SlashCommand = {
  name: 'branch',
  description:
    'List branches, switch to one or create one: /branch [name], in another repository: /branch name folder',
  async execute([name, ...words], context) {
    const { cwd, print, confirm } = context;
    const found = await foundRepositories(context);
    if (found.length === 0) return print(NO_REPOSITORY);
    if (name === undefined) return print(listings(found));
    const folder = words.join(' ');
    const chosen = folder === '' ? found[0] : found.find((one) => isIn(one, folder, cwd));
    if (!chosen)
      return print(`${folder} is not a repository of this session. Add it with /add-dir ${folder}.`);
    const { repository, state } = chosen;
    const where = found.length > 1 ? ` in ${repository.folder}` : '';
    const create = !state.branches.includes(name);
    if (name === state.branch) return print(`You are on ${name}${where}.`);
    if (create && !(await confirm(`There is no branch ${name}${where}. Create it?`)))
      return print('Nothing was changed.');
    await repository.switchTo(name, { create });
    print(`On ${name} now${where}.`);
  },
};

/** Named by its path, or by its last part. */
function isIn({ repository }: FoundRepository, folder: string, cwd: string): boolean {
  return path.resolve(cwd, folder) === repository.folder || folder === path.basename(repository.folder);
}

function listings(found: readonly FoundRepository[]): string {
  if (found.length === 1 && found[0]) return listing(found[0]);
  return found.map((one) => `${one.repository.folder}:\n${listing(one)}`).join('\n');
}

function listing({ state: { branches, branch: current } }: FoundRepository): string {
  if (branches.length === 0) return `On ${current ?? 'no branch'}, without a commit yet.`;
  const lines = branches.slice(0, SHOWN).map((name) => `${name === current ? '* ' : '  '}${name}`);
  const rest = branches.length - SHOWN;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}
