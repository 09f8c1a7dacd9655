import { MODES } from '../../../commands/mode.ts';
import { entriesOf } from '../../../commands/permissions.ts';
import type { CommandContext, PermissionState } from '../../../contract/command.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import { pickerDialog } from '../components/picker.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

/** Removable entries first, then the rules from the settings. */
function standingItems(standing: PermissionState): PickItem[] {
  return [
    ...entriesOf(standing).map(({ text }, i) => ({ id: `answer ${i}`, label: text, detail: 'remembered' })),
    ...standing.rules().map(({ verdict, pattern }, i) => ({
      id: `rule ${i}`,
      label: `${verdict} ${pattern}`,
      detail: 'from your settings',
    })),
  ];
}

/** `/permissions`: remembered answers, to remove one by one, until the list is closed. */
export async function permissionsByPicking(context: CommandContext, { show }: Pickers): Promise<void> {
  const { permissions, mode } = context;
  for (let told = ''; ; ) {
    const entries = entriesOf(permissions);
    const picked = await show(
      pickerDialog({
        title: told === '' ? `Permissions · ${mode.get()} mode` : `Permissions · ${told}`,
        none: 'No rules in your settings and no remembered answers.',
        takes: 'forget',
        items: standingItems(permissions),
        search: 'none',
      }),
    );
    if (!picked) return;
    const entry = entries.find((_, i) => picked.id === `answer ${i}`);
    await entry?.forget();
    told = entry ? `forgotten: ${entry.text}` : 'rules are edited in your settings (aca config path)';
  }
}

/** `/mode` without a name. */
export async function modeByPicking({ mode, print }: CommandContext, { show }: Pickers): Promise<void> {
  const names = Object.keys(MODES) as PermissionMode[];
  const picked = await show(
    pickerDialog({
      title: 'Select a permission mode',
      none: '',
      takes: 'select',
      items: names.map((name) => ({
        id: name,
        label: name,
        detail: MODES[name],
        ...(name === mode.get() && { current: true as const }),
      })),
      search: 'none',
    }),
  );
  const name = names.find((one) => one === picked?.id);
  if (!name) return;
  mode.set(name);
  print(`Mode: ${name} (${MODES[name]}).`);
}
