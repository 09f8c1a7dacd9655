import type { AccountList } from '../../app/conversation/account-list.ts';
import type { BuiltinGroup } from '../../commands/groups.ts';
import type { SlashCommand } from '../../contract/command.ts';

/** `/account`, in every frontend with a conversation. */
export function accountCommand(accounts: AccountList): SlashCommand {
  return {
    name: 'account',
    group: 'Model' satisfies BuiltinGroup,
    description: 'List the accounts of the provider in use; /account NAME switches and is remembered',
    async execute([name], { print }) {
      if (name !== undefined) return accounts.use(name);
      const rows = await accounts.list();
      const width = Math.max(0, ...rows.map((row) => row.name.length));
      print(
        [
          `Accounts of ${accounts.provider()}:`,
          ...rows.map((row) => `${row.current ? '*' : ' '} ${row.name.padEnd(width)}  ${row.where}`),
          `Add one with \`aca keys set ${accounts.provider()} --name NAME\`, switch with /account NAME.`,
        ].join('\n'),
      );
    },
  };
}
