import type { ModelRow } from '../../../app/conversation/model-list.ts';
import { UserError } from '../../../contract/errors.ts';
import { pickerDialog } from '../components/picker.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

/** Available models before unavailable ones. */
function modelItems(rows: readonly ModelRow[], current: string): PickItem[] {
  return [...rows.filter(({ ready }) => ready), ...rows.filter(({ ready }) => !ready)].map(
    ({ name, detail }) => ({
      id: name,
      label: name,
      detail,
      ...(name === current && { current: true as const }),
    }),
  );
}

/** `/model` without a name. */
export async function modelByPicking({ models, show }: Pickers): Promise<void> {
  const rows = await models.list();
  const picked = await show(
    pickerDialog({
      title: 'Select a model',
      none: 'No models found.',
      takes: 'switch',
      items: modelItems(rows, models.current()),
      search: 'typed',
    }),
  );
  const row = rows.find(({ name }) => name === picked?.id);
  if (!row || row.name === models.current()) return;
  if (!row.ready) throw new UserError(`${row.name} is not ready.`, `${row.detail}.`);
  await models.use(row.name);
}
