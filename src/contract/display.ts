import type { WebHit } from './web-search.ts';

/**
 * The outcome of a call in a few words, as data. `total` counts also what was not returned; `files` is the number
 * of files the results are in.
 */
export type Summary =
  | { kind: 'count'; unit: CountUnit; count: number; total?: number; files?: number }
  | { kind: 'change'; added: number; removed: number; files: number }
  /** `exitCode` is null when a signal ended the command. */
  | { kind: 'exit'; exitCode: number | null; timedOut?: true }
  /** A command that continues in the background. */
  | { kind: 'started'; id: string }
  | { kind: 'interrupted' };

export type CountUnit = 'line' | 'match' | 'file' | 'entry' | 'place' | 'page' | 'cell' | 'result';

/** What a read-only call looks at. Consecutive ones can be shown as one. */
export type Exploration = 'file' | 'pattern' | 'folder';

/** How a result is shown to people. Frontends switch on `kind`, never on a tool's name. */
export type Display =
  | { kind: 'text'; text: string }
  /** `patch` is a unified diff; `added` and `removed` count lines. */
  | { kind: 'diff'; path: string; patch: string; added: number; removed: number }
  | { kind: 'command'; command: string; exitCode: number | null; output: string }
  | { kind: 'files'; paths: string[]; total: number }
  /** Pages on the web. */
  | { kind: 'links'; links: WebHit[] }
  /** Diffs of several files as one change. */
  | { kind: 'diffs'; diffs: { path: string; patch: string; added: number; removed: number }[] }
  | { kind: 'todos'; items: { text: string; status: 'pending' | 'in_progress' | 'done' }[] };

export function countOf(
  unit: CountUnit,
  count: number,
  more: { total?: number; files?: number } = {},
): Summary {
  return { kind: 'count', unit, count, ...more };
}

/** The summary that follows from what is shown, if any. */
export function summaryOf(display: Display | undefined): Summary | undefined {
  switch (display?.kind) {
    case 'diff':
      return { kind: 'change', added: display.added, removed: display.removed, files: 1 };
    case 'diffs': {
      const { diffs } = display;
      const sum = (of: 'added' | 'removed') => diffs.reduce((all, diff) => all + diff[of], 0);
      return { kind: 'change', added: sum('added'), removed: sum('removed'), files: diffs.length };
    }
    case 'command':
      return { kind: 'exit', exitCode: display.exitCode };
    case 'files':
      return countOf('file', display.total);
    case 'links':
      return countOf('result', display.links.length);
    case 'text':
    case 'todos':
    case undefined:
      return undefined;
    default:
      return display satisfies never;
  }
}

/** Each page on a line of its own; snippets are for the model. */
export function linkText(links: readonly WebHit[]): string {
  return links.map(({ title, url }) => (title === '' ? url : `${title}  ${url}`)).join('\n');
}
