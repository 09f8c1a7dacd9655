import { MODES } from '../../../commands/mode.ts';
import { addRule, entriesOf, passingRules, ruleIn } from '../../../commands/permissions.ts';
import type { CommandContext, PermissionState } from '../../../contract/command.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import { pickerDialog } from '../components/picker.ts';
import { textDialog } from '../components/text-dialog.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

const ADD = 'add';

/** About entries that cannot be removed here. */
const HINTS: Readonly<Record<string, string>> = {
  rule: 'edit the rules of your settings in the file (aca config path)',
  passing: 'this rule ends with the run',
};

/** Removable entries after the row that adds one, then the rules from the settings, and those of skills and commands in use. */
function standingItems(standing: PermissionState): PickItem[] {
  return [
    { id: ADD, label: 'Add a rule…', detail: 'for this session' },
    ...entriesOf(standing).map(({ text }, i) => ({
      id: `answer ${i}`,
      label: text,
      detail: 'enter removes it',
    })),
    ...standing.rules().map(({ verdict, pattern }, i) => ({
      id: `rule ${i}`,
      label: `${verdict} ${pattern}`,
      detail: 'from your settings',
    })),
    ...passingRules(standing).map(({ text, by }, i) => ({
      id: `passing ${i}`,
      label: text,
      detail: `${by}, until this run ends`,
    })),
  ];
}

/** `/permissions`: rules to add, and rules and answers to remove one by one, until the list is closed. */
export async function permissionsByPicking(context: CommandContext, { show }: Pickers): Promise<void> {
  const { permissions, mode } = context;
  for (let told = ''; ; ) {
    const entries = entriesOf(permissions);
    const picked = await show(
      pickerDialog({
        title: told === '' ? `Permissions · ${mode.get()} mode` : `Permissions · ${told}`,
        none: 'No rules in your settings and no remembered answers.',
        takes: 'add or remove',
        items: standingItems(permissions),
        search: 'none',
      }),
    );
    if (!picked) return;
    if (picked.id === ADD) {
      told = await typedRule(permissions, show);
      continue;
    }
    const entry = entries.find((_, i) => picked.id === `answer ${i}`);
    await entry?.forget();
    told = entry ? `removed: ${entry.text}` : (HINTS[picked.id.split(' ')[0] ?? ''] ?? '');
  }
}

async function typedRule(permissions: PermissionState, show: Pickers['show']): Promise<string> {
  const question =
    'Rule for this session, such as: allow Bash(npm run *), ask Edit(src/**), deny Read(private/**)';
  const line = await show(textDialog({ question }));
  if (line === null || line.trim() === '') return '';
  const rule = ruleIn(line);
  return rule ? addRule(rule, permissions) : 'a rule starts with allow, ask or deny';
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
