import * as z from 'zod';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { explainUnknownId } from './bash-output.ts';
import { adaptKillShell } from './dialects/adapt-running.ts';
import { SHELL_ID_NAMES } from './dialects/names.ts';

export const killShell = defineTool({
  name: 'KillShell',
  aliases: ['kill_bash', 'kill_command', 'stop_command', 'task_stop', 'kill_terminal'],
  argumentAliases: { id: SHELL_ID_NAMES },
  adapt: adaptKillShell,
  description: 'Stop a background command and everything it started.',
  input: () => z.object({ id: z.string().describe('The id Bash returned, such as bg_1') }),

  title: ({ id }) => `KillShell ${id}`,
  access: () => [],

  async run({ id }, { shell }) {
    const known = shell.background().find((one) => one.id === id);
    if (!known) return fail(explainUnknownId(id, shell));
    const stopped = await shell.stop(id);
    const news = stopped ? `${id} was stopped.` : `${id} had already ended.`;
    return ok(`${news} BashOutput has its last output.`, { metadata: { id, command: known.command } });
  },
});
