import { NO_SERVERS, serverDetails, serverSummary } from '../../../commands/mcp.ts';
import type { CommandContext } from '../../../contract/command.ts';
import { visibleText } from '../../../lib/text/visible-text.ts';
import { pickerDialog } from '../components/picker.ts';
import { rowsOf } from '../dialogs/look.ts';
import type { Pickers } from './pickers.ts';

/** `/mcp`: the servers with what they offer, to restart or log in to, until the list is closed. */
export async function mcpByPicking({ mcp, print }: CommandContext, { show }: Pickers): Promise<void> {
  if (!mcp) return print(NO_SERVERS);
  for (;;) {
    const servers = mcp.list();
    const picked = await show(
      pickerDialog({
        title: 'MCP servers',
        none: NO_SERVERS,
        takes: 'restart',
        actions: [{ key: 'l', does: 'log in', name: 'login' }],
        items: servers.map((server) => ({
          id: server.name,
          label: server.name,
          detail: visibleText(serverSummary(server)),
        })),
        search: 'none',
        preview: (id, { columns, look }) => {
          const server = servers.find(({ name }) => name === id);
          return rowsOf(`\n${server ? visibleText(serverDetails(server)) : ''}`, columns, look.quiet);
        },
      }),
    );
    if (!picked) return;
    if (picked.action === 'login') {
      // The URL must stay where it can be clicked.
      return mcp.login(picked.id, (url) => print(`Log in here: ${url}`));
    }
    await mcp.restart(picked.id);
  }
}
