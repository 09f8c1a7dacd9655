/** Of another assistant's file, key or flag: it works the same here, it works differently, or it has no effect. */
export type Support = 'works' | 'differs' | 'unsupported';

/**
 * `what` is the name the other assistant gives it. `note` says what is different, or what to do instead. A row
 * that `restricts` makes something stricter there: if it has no effect here, every start reports it.
 */
export type Row = { what: string; support: Support; note: string; restricts?: true };

export type Section = { title: string; about: string; rows: readonly Row[] };

/** What of another assistant works here. */
export type SupportTable = {
  /** Its name to the user. */
  name: string;
  /** The keys of its settings files, as paths such as `permissions.allow`. */
  settings: Section;
  /** Everything else: other files, flags and commands. */
  others: readonly Section[];
};

export const works = (what: string, note = ''): Row => ({ what, support: 'works', note });
export const differs = (what: string, note: string): Row => ({ what, support: 'differs', note });
export const unsupported = (what: string, note: string): Row => ({ what, support: 'unsupported', note });

/** For a restriction that is not applied. */
export const restricts = (row: Row): Row => ({ ...row, restricts: true });
