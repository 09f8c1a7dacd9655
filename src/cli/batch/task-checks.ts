import { requireModel } from '../../app/opening/find-model.ts';
import { unknownCommandIn } from '../../app/opening/unknown-command.ts';
import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { TaskChecks } from '../../fleet/tasks/check-task.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';

/** With a queue, the workers' settings and servers decide which models there are. */
export function taskChecks(terminal: Terminal, queue: string | undefined): TaskChecks {
  const settings = loadSettings({}, terminal);
  return {
    async model(name) {
      if (queue) return null;
      try {
        await requireModel(name, settings, terminal);
        return null;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return `${error.message} ${error.hint}`;
      }
    },
    prompt: (text, folder) => (folder === null ? null : unknownCommandIn(text, folder, settings, terminal)),
  };
}
