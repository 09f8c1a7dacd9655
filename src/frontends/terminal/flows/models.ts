import type { ModelGroup } from '../../../app/conversation/model-list.ts';
import { UserError } from '../../../contract/errors.ts';
import { pickerDialog } from '../components/picker.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

const NO_KEY = 'No key yet';

/** A row per model; vendors that cannot be used have one row each, which is found by their models too. */
function modelItems(groups: readonly ModelGroup[], current: string): PickItem[] {
  return groups.flatMap(({ vendor, models, missing }): PickItem[] => {
    const words = `${vendor} ${models.map(({ name }) => name).join(' ')}`;
    if (missing) return [{ id: vendor, label: `${vendor} (${missing.short})`, words, group: NO_KEY }];
    return models.map(({ name, label, detail }) => ({
      id: name,
      label,
      detail,
      words: `${vendor} ${name}`,
      group: vendor,
      ...(name === current && { current: true as const }),
    }));
  });
}

/** `/model` without a name. */
export async function modelByPicking({ models, show }: Pickers): Promise<void> {
  const groups = await models.list();
  const picked = await show(
    pickerDialog({
      title: 'Select a model',
      none: 'No models found.',
      takes: 'switch',
      items: modelItems(groups, models.current()),
      search: 'typed',
    }),
  );
  if (!picked || picked.id === models.current()) return;
  const closed = groups.find(({ vendor, missing }) => missing && vendor === picked.id);
  if (closed?.missing) throw new UserError(`There is no key for ${closed.vendor}.`, closed.missing.next);
  await models.use(picked.id);
}
