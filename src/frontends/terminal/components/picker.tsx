import { type ReactNode, useEffect, useState } from 'react';
import { visibleLine } from '../../../lib/text/visible-text.ts';
import { type Frame, lookOf, rowsOf } from '../dialogs/look.ts';
import {
  type Found,
  listed,
  openPicker,
  type PickerState,
  type PickItem,
  pressPicker,
  withFound,
} from '../dialogs/picker.ts';
import { type PickerText, pickerPage, renderPicker } from '../dialogs/picker-view.ts';
import { type Outcome, useModel } from '../dialogs/use-model.ts';
import { useTheme } from '../use-theme.ts';
import type { Dialog, DialogProps, Key, Line } from '../view/types.ts';
import { DialogRows } from './dialog-rows.tsx';

/** `action` is null for Enter. */
export type Picked = { id: string; action: string | null };

export type Picker = PickerText & {
  items: readonly PickItem[];
  search: 'typed' | 'none';
  /** More rows that a search finds; they come after those that match by what is seen. */
  find?(query: string): Promise<readonly PickItem[]>;
  /** A closer look at the selected row. */
  preview?(id: string, frame: Frame): Promise<readonly Line[]> | readonly Line[];
  /** Told of every row that becomes the selected one. */
  onSelect?(id: string): void;
};

type Props = DialogProps<Picked | null> & { picker: Picker };

/** A list to choose from; null when it was closed. */
export function pickerDialog(picker: Picker): Dialog<Picked | null> {
  return (props) => <PickerDialog {...props} picker={picker} />;
}

/** Somebody who types has not yet said what to look for. */
const SEARCH_AFTER_MS = 150;

function PickerDialog({ picker, columns, rows, onDone }: Props): ReactNode {
  const theme = useTheme();
  const frame = { columns, rows, look: lookOf(theme) };
  const { items: known, search, actions = [] } = picker;
  const [more, setMore] = useState<Found>({ query: '', items: [] });
  const [glimpse, setGlimpse] = useState<Glimpse>({ id: '', lines: [] });
  const itemsFor = (state: PickerState) => withFound(known, more, state);

  function press(state: PickerState, key: Key): Outcome<PickerState, Picked | null> {
    const page = pickerPage(state, frame, picker.preview ? 'shown' : 'none');
    const step = pressPicker(state, key, { items: itemsFor(state), actions, page });
    switch (step.type) {
      case 'state':
        return step;
      case 'picked':
        return { type: 'end', result: { id: step.id, action: null } };
      case 'acted':
        return { type: 'end', result: { id: step.id, action: step.action } };
      case 'closed':
        return { type: 'end', result: null };
      default:
        return step satisfies never;
    }
  }

  const state = useModel({ open: () => openPicker(known, { search }), press, onDone });
  const items = itemsFor(state);
  const found = listed(state, items);
  const id = found[Math.min(state.selected, found.length - 1)]?.id ?? '';
  const query = state.query?.text.trim() ?? '';
  const { find, preview, onSelect } = picker;

  useEffect(() => {
    if (!find || query === '') return;
    let wanted = true;
    const timer = setTimeout(() => {
      // A search that fails, of a file that is just going away perhaps, finds nothing more.
      const searched = find(query).catch((): PickItem[] => []);
      void searched.then((items) => wanted && setMore({ query, items }));
    }, SEARCH_AFTER_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [find, query]);

  useEffect(() => {
    if (id !== '') onSelect?.(id);
  }, [id, onSelect]);

  useEffect(() => {
    if (!preview || id === '') return;
    let wanted = true;
    const look = lookOf(theme);
    const looked = Promise.resolve(preview(id, { columns, rows, look }));
    void looked
      .catch((error: Error) => rowsOf(visibleLine(error.message), columns, look.warn))
      .then((lines) => wanted && setGlimpse({ id, lines }));
    return () => {
      wanted = false;
    };
  }, [id, preview, columns, rows, theme]);

  const shown = preview ? (glimpse.id === id ? glimpse.lines : []) : null;
  return <DialogRows lines={renderPicker(state, { items, text: picker, preview: shown }, frame)} />;
}

type Glimpse = { id: string; lines: readonly Line[] };
