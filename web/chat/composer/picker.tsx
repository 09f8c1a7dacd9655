import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../parts/icon.tsx';
import { visible } from '../text/visible.ts';

export type Choice = { value: string; name: string; description?: string | null | undefined };
export type Section = {
  name: string;
  choices: readonly Choice[];
  current: string;
  onChoose(value: string): void;
};

/** Longer lists can be searched. */
const SHORT_LIST = 8;

type Props = {
  label: string;
  text?: string;
  icon?: IconName;
  sections: readonly Section[];
  isDisabled?: boolean;
};

/** A button that opens a menu of choices. */
export function Picker({ label, text, icon, sections, isDisabled = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const onPress = (event: Event) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    close();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from the button, too.
    <span class="picker" ref={frame} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class="quiet"
        disabled={isDisabled}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={text === undefined ? label : `${label}: ${text}`}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        {text !== undefined && <span class="picker-text">{visible(text)}</span>}
        {text !== undefined && (
          <span class="caret">
            <Icon name="chevron" />
          </span>
        )}
      </button>
      {isOpen && <Menu label={label} sections={sections} onClose={close} />}
    </span>
  );
}

function Menu({
  label,
  sections,
  onClose,
}: {
  label: string;
  sections: readonly Section[];
  onClose(): void;
}) {
  const [filter, setFilter] = useState('');
  const menu = useRef<HTMLDivElement>(null);
  const count = sections.reduce((sum, { choices }) => sum + choices.length, 0);
  const isSearchable = count > SHORT_LIST;
  // Before the next key can arrive: it would go to the button.
  useLayoutEffect(() => {
    const find = (selector: string) => menu.current?.querySelector<HTMLElement>(selector);
    const first = isSearchable
      ? find('input')
      : (find('[aria-checked="true"]') ?? find('[role="menuitemradio"]'));
    first?.focus();
  }, [isSearchable]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!moveFocus(menu.current, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const wanted = filter.trim().toLowerCase();
  const matches = ({ name, value }: Choice) => `${name} ${value}`.toLowerCase().includes(wanted);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that its entries do not use bubble here.
    <div class="popup picker-popup" ref={menu} onKeyDown={onKeyDown}>
      {isSearchable && (
        <input
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          placeholder="Search"
          aria-label={`Search: ${label}`}
        />
      )}
      <div role="menu" aria-label={label}>
        {sections.map((section) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of a menu is no fieldset.
          <div key={section.name} role="group" aria-label={visible(section.name)}>
            {sections.length > 1 && section.choices.some(matches) && (
              <div class="group-name" aria-hidden="true">
                {visible(section.name)}
              </div>
            )}
            {section.choices.filter(matches).map((choice) => (
              <button
                key={choice.value}
                type="button"
                role="menuitemradio"
                aria-checked={choice.value === section.current}
                class="option"
                tabIndex={-1}
                onClick={() => {
                  section.onChoose(choice.value);
                  onClose();
                }}
              >
                <span class="option-mark">{choice.value === section.current && <Icon name="check" />}</span>
                <span>
                  <span class="option-name">{visible(choice.name)}</span>
                  {choice.description && <span class="option-detail">{visible(choice.description)}</span>}
                </span>
              </button>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Moves among the entries; false for keys that do not. */
function moveFocus(menu: HTMLElement | null, key: string): boolean {
  const entries = [...(menu?.querySelectorAll<HTMLElement>('[role="menuitemradio"]') ?? [])];
  const index = entries.indexOf(document.activeElement as HTMLElement);
  const isSearching = document.activeElement instanceof HTMLInputElement;
  const last = entries.length - 1;
  const next: Record<string, number> = {
    ArrowDown: index === last ? 0 : index + 1,
    ArrowUp: index <= 0 ? last : index - 1,
    ...(!isSearching && { Home: 0, End: last }),
  };
  const to = next[key];
  if (to === undefined) return false;
  entries[to]?.focus();
  return true;
}
