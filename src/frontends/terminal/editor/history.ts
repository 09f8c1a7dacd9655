/** The position in the history, and the text typed before. */
export type Recall = { index: number; typed: string };

/** One step to an older or newer prompt; after the newest comes the typed text. Null when there is none. */
export function recalled(
  { history, typed, recall }: { history: readonly string[]; typed: string; recall: Recall | null },
  by: -1 | 1,
): { text: string; recall: Recall | null } | null {
  const here = recall ?? { index: history.length, typed };
  const index = here.index + by;
  if (index === history.length && recall) return { text: here.typed, recall: null };
  const text = history[index];
  return text === undefined ? null : { text, recall: { index, typed: here.typed } };
}

/** A history search; `index` is the match, -1 if there is none. */
export type HistorySearch = { query: string; index: number };

/** The newest match, from `start` back. The last match stays when nothing else matches. */
export function searched(
  history: readonly string[],
  query: string,
  start = history.length - 1,
): HistorySearch {
  const wanted = query.toLowerCase();
  const isMatch = (prompt: string, index: number) => index <= start && prompt.toLowerCase().includes(wanted);
  return { query, index: query === '' ? -1 : history.findLastIndex(isMatch) };
}

/** The next match for the same query; the search stays in place if there is no other. */
export function searchedOn(
  history: readonly string[],
  { query, index }: HistorySearch,
  by: -1 | 1,
): HistorySearch {
  if (query === '' || index < 0) return { query, index };
  if (by === -1) {
    const older = searched(history, query, index - 1);
    return older.index < 0 ? { query, index } : older;
  }
  const wanted = query.toLowerCase();
  const newer = history.findIndex((prompt, at) => at > index && prompt.toLowerCase().includes(wanted));
  return { query, index: newer < 0 ? index : newer };
}
