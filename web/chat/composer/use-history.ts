import { useRef } from 'preact/hooks';
import type { Item } from '../state/view.ts';

type History = {
  /** The prompt before (-1) or after (1) the one shown, given what is written now; null if there is none. */
  move(step: -1 | 1, written: string): string | null;
  /** Whether the arrows go through the history: nothing is written, or an entry is shown unchanged. */
  isShown(written: string): boolean;
};

/** The prompts of this session, latest last; whatever was being written comes after them. */
export function useHistory(items: readonly Item[]): History {
  const place = useRef<{ index: number; shown: string; draft: string } | null>(null);
  const isShown = (written: string) => written === '' || place.current?.shown === written;
  return {
    isShown,
    move(step, written) {
      const texts = items.flatMap((item) => (item.type === 'user' && item.text !== '' ? [item.text] : []));
      const at =
        isShown(written) && place.current && written !== ''
          ? place.current
          : { index: texts.length, shown: '', draft: written };
      const index = at.index + step;
      if (index < 0 || index > texts.length) return null;
      const shown = texts[index] ?? at.draft;
      place.current = index === texts.length ? null : { index, shown, draft: at.draft };
      return shown;
    },
  };
}
