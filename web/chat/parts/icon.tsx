/** Drawn on 16 by 16, in strokes of the text's colour. */
const SHAPES = {
  add: 'M8 3v10M3 8h10',
  attach: 'M13 7.5 8 12.4a3.2 3.2 0 0 1-4.5-4.5l5.2-5.2a2.1 2.1 0 0 1 3 3l-5.1 5.1a1 1 0 0 1-1.5-1.5l4.6-4.6',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  batch: 'M2.5 5.5 8 3l5.5 2.5L8 8zM2.5 8 8 10.5 13.5 8M2.5 10.5 8 13l5.5-2.5',
  check: 'm3.5 8.5 3 3 6-7',
  chevron: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8m0-8-8 8',
  command: 'm3.5 5 3 3-3 3M8 11.5h4.5',
  copy: 'M6 5.5h6.5V13H6zM3.5 10.5V3H10',
  delete: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5',
  diff: 'M9.5 3H13v3.5M13 3 8.5 7.5M11.5 9.5V13H3V4.5h3.5',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  edit: 'm10.5 3 2.5 2.5L6 12.5l-3 .5.5-3z',
  error: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5.5v3M8 10.5v.1',
  fetch:
    'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M2.5 8h11M8 2.5c-3.4 3.6-3.4 7.4 0 11M8 2.5c3.4 3.6 3.4 7.4 0 11',
  file: 'M4 2.5h5L12 5.5v8H4zM9 2.5v3h3',
  folder: 'M2.5 4h4l1.5 1.5h5.5V12.5h-11z',
  history: 'M3 8a5 5 0 1 0 1.6-3.7L3 5.6M3 3v2.6h2.6M8 5.5V8l2 1.5',
  image: 'M2.5 3.5h11v9h-11zM5.5 6.5v.1M3 11.5l3.5-3 2 1.5 2.5-2.5 2.5 2.5',
  info: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 7.5v3M8 5.4v.1',
  options: 'M3 5h6M11.5 5H13M3 11h1.5M7 11h6M10.2 3.8v2.4M5.8 9.8v2.4',
  other: 'M8 3.5v.1M8 8v.1M8 12.4v.1',
  plan: 'M6.5 4.5H13M6.5 8H13M6.5 11.5H13M3 4.4v.1M3 7.9v.1M3 11.4v.1',
  read: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5',
  search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3 3',
  send: 'M8 13V3.5M4 7.5l4-4 4 4',
  stop: 'M5 5h6v6H5z',
  subagent: 'M4 3v5.5a2 2 0 0 0 2 2h6M9.5 8l2.5 2.5L9.5 13',
  thought: 'M8 2.5a4 4 0 0 1 2.3 7.3c-.5.4-.8.9-.8 1.4h-3c0-.5-.3-1-.8-1.4A4 4 0 0 1 8 2.5M6.8 13.5h2.4',
  undo: 'M3.5 6.5H10a3 3 0 0 1 0 6H7M6 4 3.5 6.5 6 9',
  user: 'M8 3a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M3.5 13.5c.3-2.5 2-3.7 4.5-3.7s4.2 1.2 4.5 3.7',
  warning: 'M8 3 14 13H2zM8 6.8v2.8M8 11.3v.1',
};

export type IconName = keyof typeof SHAPES;

/** A picture beside a text that says the same; screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** Turns while something runs. */
export function Spinner() {
  return (
    <svg class="icon spin" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path class="track" d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11" />
      <path d="M8 2.5a5.5 5.5 0 0 1 5.5 5.5" />
    </svg>
  );
}
