import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { visible } from '../text/visible.ts';
import type { Suggestion } from './use-completion.ts';

type Props = {
  suggestions: readonly Suggestion[];
  selected: number;
  type: 'file' | 'command';
  onChoose(index: number): void;
};

export const SUGGESTIONS_ID = 'chat-suggestions';

export function suggestionId(index: number): string {
  return `${SUGGESTIONS_ID}-${index}`;
}

/** The list above the prompt; the keyboard stays in the prompt. */
export function Suggestions({ suggestions, selected, type, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div
      class="popup suggestions"
      role="listbox"
      id={SUGGESTIONS_ID}
      aria-label={type === 'file' ? 'Files' : 'Commands'}
      ref={list}
    >
      {suggestions.map(({ name, detail, isFolder, value }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the prompt keeps the focus and names the selected option.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the prompt choose.
        <div
          key={value}
          id={suggestionId(index)}
          role="option"
          aria-selected={index === selected}
          class="option"
          // The prompt keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          {isFolder !== undefined && <Icon name={isFolder ? 'folder' : 'file'} />}
          <span class="option-name">{visible(name)}</span>
          {detail && <span class="option-detail">{visible(detail)}</span>}
        </div>
      ))}
    </div>
  );
}
