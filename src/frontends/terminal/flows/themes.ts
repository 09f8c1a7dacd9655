import { didYouMean } from '../../../lib/text/nearest.ts';
import { pickerDialog } from '../components/picker.ts';
import { type Look, span } from '../dialogs/look.ts';
import type { Line } from '../view/types.ts';
import type { Pickers } from './pickers.ts';

type Print = (text: string) => void;

/**
 * `/theme` without a name: applies the selected theme immediately, and restores the previous one if the list
 * is closed.
 */
export async function themeByPicking({ themes, show }: Pickers, print: Print): Promise<void> {
  const before = themes.current();
  const picked = await show(
    pickerDialog({
      title: 'Theme',
      none: '',
      takes: 'select',
      items: ['auto', ...themes.names].map((name) => ({
        id: name,
        label: name,
        ...(name === 'auto' && { detail: 'match the terminal (dark or light)' }),
        ...(name === before && { current: true as const }),
      })),
      search: 'none',
      onSelect: (name) => themes.wear(name),
      preview: (_, { columns, look }) => sample(columns, look),
    }),
  );
  if (!picked) return themes.wear(before);
  await keep(picked.id, { themes, print });
}

/** Each color once, with a text it is used for. */
function sample(columns: number, look: Look): Line[] {
  return [
    [span('─'.repeat(columns), look.quiet)],
    [span('A heading', look.title), span('  and a key: ', look.plain), span('Enter', look.accent)],
    [span('+ added', look.good), span('   - removed', look.danger)],
    [span('! warning', look.warn)],
    [span('thinking and other details', look.quiet)],
  ];
}

/** `/theme NAME`. */
export async function themeByName(name: string, { themes }: Pickers, print: Print): Promise<void> {
  const names = ['auto', ...themes.names];
  if (!names.includes(name))
    return print(`There is no theme ${name}.${didYouMean(name, names)} /theme lists them.`);
  await keep(name, { themes, print });
}

async function keep(name: string, { themes, print }: Pick<Pickers, 'themes'> & { print: Print }) {
  themes.wear(name);
  await themes.keep(name);
  print(`Theme set to ${name}.`);
}
