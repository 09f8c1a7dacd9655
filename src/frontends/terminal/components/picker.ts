import { visibleLine } from '../../../lib/text/visible-text.ts';
import { type Frame, rowsOf } from '../dialogs/look.ts';
import { type DialogFrame, frameFor } from '../dialogs/model.ts';
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
import type { Dialog, DialogHost, DialogRoom, DialogView } from '../view/dialog.ts';
import type { Key, Line } from '../view/types.ts';

/** `action` is null for Enter. */
export type Picked = { id: string; action: string | null };

export type Picker = PickerText & {
  items: readonly PickItem[];
  search: 'typed' | 'none';
  /** Additional search results, listed after the rows that match by their visible text. */
  find?(query: string): Promise<readonly PickItem[]>;
  /** A preview of the selected row. */
  preview?(id: string, frame: Frame): Promise<readonly Line[]> | readonly Line[];
  /** Called for every row that is drawn as selected. */
  onSelect?(id: string): void;
};

/** A list to choose from; null when it was closed. */
export function pickerDialog(picker: Picker): Dialog<Picked | null> {
  return (host) => new PickerDialog(picker, host);
}

/** Debounces searches while the user types. */
const SEARCH_AFTER_MS = 150;

/** The preview of a row; empty until it is loaded. */
type Preview = { id: string; frame: DialogFrame; lines: readonly Line[] };

class PickerDialog implements DialogView {
  readonly #picker: Picker;
  readonly #host: DialogHost<Picked | null>;
  #state: PickerState;
  #found: Found = { query: '', items: [] };
  #query = '';
  #timer: NodeJS.Timeout | undefined;
  #selected = '';
  #preview: Preview | null = null;
  #frame: DialogFrame | null = null;
  #isClosed = false;

  constructor(picker: Picker, host: DialogHost<Picked | null>) {
    this.#picker = picker;
    this.#host = host;
    this.#state = openPicker(picker.items, { search: picker.search });
  }

  lines(room: DialogRoom): Line[] {
    this.#frame = frameFor(room, this.#frame);
    this.#select();
    return renderPicker(
      this.#state,
      { items: this.#items, text: this.#picker, preview: this.#previewIn(this.#frame) },
      this.#frame,
    );
  }

  press(key: Key): void {
    if (this.#isClosed || !this.#frame) return;
    const { actions = [], preview } = this.#picker;
    const page = pickerPage(this.#state, this.#frame, preview ? 'shown' : 'none');
    const step = pressPicker(this.#state, key, { items: this.#items, actions, page });
    switch (step.type) {
      case 'state':
        this.#state = step.state;
        this.#search();
        this.#changed();
        return;
      case 'picked':
        this.#end({ id: step.id, action: null });
        return;
      case 'acted':
        this.#end({ id: step.id, action: step.action });
        return;
      case 'closed':
        this.#end(null);
        return;
      default:
        step satisfies never;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  get #items(): readonly PickItem[] {
    return withFound(this.#picker.items, this.#found, this.#state);
  }

  #end(picked: Picked | null): void {
    this.close();
    this.#host.onDone(picked);
  }

  #changed(): void {
    if (!this.#isClosed) this.#host.redraw();
  }

  /** The row that is drawn as selected. */
  #select(): void {
    const rows = listed(this.#state, this.#items);
    const id = rows[Math.min(this.#state.selected, rows.length - 1)]?.id ?? '';
    if (id === this.#selected) return;
    this.#selected = id;
    if (id !== '') this.#picker.onSelect?.(id);
  }

  #search(): void {
    const { find } = this.#picker;
    const query = this.#state.query?.text.trim() ?? '';
    if (!find || query === this.#query) return;
    this.#query = query;
    clearTimeout(this.#timer);
    if (query === '') return;
    this.#timer = setTimeout(async () => {
      // A failing search, perhaps of a file being deleted, finds nothing.
      const items = await find(query).catch((): PickItem[] => []);
      if (query !== this.#query) return;
      this.#found = { query, items };
      this.#changed();
    }, SEARCH_AFTER_MS);
  }

  /** Null if rows have no preview. One made for another width is shown until the new one is ready. */
  #previewIn(frame: DialogFrame): readonly Line[] | null {
    const { preview } = this.#picker;
    if (!preview) return null;
    const id = this.#selected;
    const before = this.#preview;
    if (id === '') return [];
    if (before?.id === id && before.frame === frame) return before.lines;
    const wanted: Preview = { id, frame, lines: before?.id === id ? before.lines : [] };
    this.#preview = wanted;
    void Promise.resolve(preview(id, frame))
      .catch((error: Error) => rowsOf(visibleLine(error.message), frame.columns, frame.look.warn))
      .then((lines) => {
        if (this.#preview !== wanted) return;
        wanted.lines = lines;
        this.#changed();
      });
    return wanted.lines;
  }
}
