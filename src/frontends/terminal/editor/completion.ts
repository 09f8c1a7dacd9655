import { type Draft, replaced } from './text-buffer.ts';

/** What can be completed: the text from `from` to the caret. */
export type Wanted = { type: 'command' | 'file'; from: number; query: string };

/** One completion. `marks` are the positions in `label` that match the query. */
export type Offer = {
  type: 'command' | 'file';
  value: string;
  label: string;
  detail: string;
  marks: readonly number[];
};

/** A command at the very start, or a file after `@`; null when there is nothing to complete. */
export function wantedAt({ text, at }: Draft): Wanted | null {
  const written = text.slice(0, at);
  const command = /^\/([\w.:-]*)$/.exec(written);
  if (command) return { type: 'command', from: 0, query: command[1] ?? '' };
  const file = /(?:^|[\s([{,;:])@(?:"([^"\n]*)|([^\s"]*))$/.exec(written);
  if (!file) return null;
  const quoted = file[1] !== undefined;
  const query = file[1] ?? file[2] ?? '';
  return { type: 'file', from: at - query.length - (quoted ? 2 : 1), query };
}

/** The draft with the completion inserted. A folder is left open for further completion. */
export function accepted(draft: Draft, wanted: Wanted, offer: Offer): Draft {
  const { from } = wanted;
  return replaced(draft, { from, to: draft.at, text: written(offer, draft.text.slice(draft.at)) });
}

/** Whether it is already typed completely. */
export function isComplete({ text, at }: Draft, { from }: Wanted, offer: Offer): boolean {
  return text.slice(from, at) === written(offer, ' ');
}

function written({ type, value }: Offer, rest: string): string {
  if (type === 'command') return `/${value}${/^\s/.test(rest) ? '' : ' '}`;
  const isFolder = value.endsWith('/');
  if (/\s/.test(value)) return isFolder ? `@"${value}` : `@"${value}"${/^\s/.test(rest) ? '' : ' '}`;
  return `@${value}${isFolder || /^\s/.test(rest) ? '' : ' '}`;
}
