import type { SlashCommand } from '../contract/command.ts';
import { NO_REPOSITORY } from './commit.ts';

const SHOWN = 20;

export const branch: SlashCommand = {
  name: 'branch',
  description: 'List branches, switch to one or create one: /branch [name]',
  async execute([name], { repository, print, confirm }) {
    const state = await repository?.state();
    if (!repository || !state) return print(NO_REPOSITORY);
    if (name === undefined) return print(listing(state.branches, state.branch));
    const create = !state.branches.includes(name);
    if (name === state.branch) return print(`You are on ${name}.`);
    if (create && !(await confirm(`There is no branch ${name}. Create it?`)))
      return print('Nothing was changed.');
    await repository.switchTo(name, { create });
    print(`On ${name} now.`);
  },
};

function listing(branches: readonly string[], current: string | null): string {
  if (branches.length === 0) return `On ${current ?? 'no branch'}, without a commit yet.`;
  const lines = branches.slice(0, SHOWN).map((name) => `${name === current ? '* ' : '  '}${name}`);
  const rest = branches.length - SHOWN;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}
