import type { ModelList, ModelRow } from '../../app/conversation/model-list.ts';
import type { SlashCommand } from '../../contract/command.ts';

/** `/model` in plain lines. */
export function modelCommand(models: ModelList): SlashCommand {
  return {
    name: 'model',
    description: 'List the available models; /model NAME switches to one',
    async execute([name], { print }) {
      if (name !== undefined) return models.use(name);
      const rows = await models.list();
      const line = ({ name: row, detail }: ModelRow) =>
        `${row === models.current() ? '*' : ' '} ${row}   ${detail}`;
      print(
        rows
          .filter(({ ready }) => ready)
          .map(line)
          .join('\n') || 'No models found.',
      );
    },
  };
}
