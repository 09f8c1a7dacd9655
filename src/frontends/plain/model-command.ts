import type { ModelList } from '../../app/conversation/model-list.ts';
import type { BuiltinGroup } from '../../commands/groups.ts';
import type { SlashCommand } from '../../contract/command.ts';

/** `/model` in plain lines. */
export function modelCommand(models: ModelList): SlashCommand {
  return {
    name: 'model',
    group: 'Model' satisfies BuiltinGroup,
    description: 'List the available models; /model NAME switches to one',
    async execute([name], { print }) {
      if (name !== undefined) return models.use(name);
      const groups = await models.list();
      const lines = groups.flatMap(({ vendor, models: rows, missing }) =>
        missing
          ? [`${vendor} (${missing.short})`]
          : [
              vendor,
              ...rows.map(
                (row) => `${row.name === models.current() ? '*' : ' '} ${row.name}   ${row.detail}`,
              ),
            ],
      );
      print(lines.join('\n') || 'No models found.');
    },
  };
}
