import { type Draft, replaced } from './text-buffer.ts';

/** What is being written and could be completed: the piece from `from` to the caret. */
export type Wanted = { type: 'command' | 'file'; from: number; query: string };

/** One way to complete it. `marks` are the places in `label` that the query hit. */
export type Offer = {
  type: 'command' | 'file';
  value: string;
  label: string;
  detail: string;
  marks: readonly number[];
};

/** A command at the very start, or a file after `@`; null where nothing is to be completed. */
export function wantedAt({ text, at }: Draft): Wanted | null {
  const written = text.slice(0, at);
  const command = /^\/([\w-]*)$/.exec(written);
  if (command) return { type: 'command', from: 0, query: command[1] ?? '' };
  const file = /(?:^|[\s([{,;:])@(?:"([^"\n]*)|([^\s"]*))$/.exec(written);
  if (!file) return null;
  const quoted = file[1] !== undefined;
  const query = file[1] ?? file[2] ?? '';
  return { type: 'file', from: at - query.length - (quoted ? 2 : 1), query };
}

/** The draft with an offer in the place of what was written. A folder is left open, so that one can go on. */
export function accepted(draft: Draft, wanted: Wanted, offer: Offer): Draft {
  const { from } = wanted;
  return replaced(draft, { from, to: draft.at, text: written(offer, draft.text.slice(draft.at)) });
}

/** Whether it is written out already. */
export function isComplete({ text, at }: Draft, { from }: Wanted, offer: Offer): boolean {
  return text.slice(from, at) === written(offer, ' ');
}

function written({ type, value }: Offer, rest: string): string {
  if (type === 'command') return `/${value}${/^\s/.test(rest) ? '' : ' '}`;
  const isFolder = value.endsWith('/');
  if (/\s/.test(value)) return isFolder ? `@"${value}` : `@"${value}"${/^\s/.test(rest) ? '' : ' '}`;
  return `@${value}${isFolder || /^\s/.test(rest) ? '' : ' '}`;
}
