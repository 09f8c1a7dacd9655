/** What the model is shown of a session's messages. A view, never a deletion: the journal keeps all of them. */

/**
 * One compaction. It says everything that is sent in place of old messages, so that the same bytes go out until the
 * next one, in this process and in any other that goes on with the session.
 */
export type Compaction = {
  /** The messages before `keepFrom` in short, rounds joined by `---`; null while none was left out. */
  summary: string | null;
  /** What survives word for word besides: pinned facts, the task list, files changed, instructions of folders. */
  kept: string;
  /** Messages from here on are sent. */
  keepFrom: number;
  /** Of these, the ones before here are sent in a shorter form, the shorter the higher the level. */
  squeezeUntil: number;
  level: number;
  /** How many messages there were. */
  at: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Who wrote the summary: a model, or `extract`. `squeeze` when there is none. */
  by: string;
};

export type SessionView = {
  /** The last one counts; those before it are what /uncompact goes back to. */
  compactions: readonly Compaction[];
  /** Facts the user wants kept word for word. */
  pins: readonly string[];
  /** What vendors counted before this message speaks of another view. */
  countFrom: number;
  /** By model: how many tokens it counts for one of our estimate. */
  factors: Readonly<Record<string, number>>;
};

export type ViewChange =
  | ({ type: 'compaction' } & Compaction)
  /** The last compaction is taken back; there were `at` messages. */
  | { type: 'uncompact'; at: number }
  | { type: 'pin_fact'; text: string }
  | { type: 'unpin_fact'; text: string }
  | { type: 'estimate'; model: string; factor: number };

export const wholeView: SessionView = { compactions: [], pins: [], countFrom: 0, factors: {} };

export function changeView(view: SessionView, change: ViewChange): SessionView {
  switch (change.type) {
    case 'compaction': {
      const { type: _type, ...compaction } = change;
      return { ...view, compactions: [...view.compactions, compaction], countFrom: compaction.at };
    }
    case 'uncompact':
      return { ...view, compactions: view.compactions.slice(0, -1), countFrom: change.at };
    case 'pin_fact':
      return view.pins.includes(change.text) ? view : { ...view, pins: [...view.pins, change.text] };
    case 'unpin_fact':
      return { ...view, pins: view.pins.filter((pin) => pin !== change.text) };
    case 'estimate':
      return { ...view, factors: { ...view.factors, [change.model]: change.factor } };
    default:
      return change satisfies never;
  }
}

/** What is left when only the first `keep` messages are: a compaction that speaks of others is gone. */
export function rewindView(view: SessionView, keep: number): SessionView {
  const compactions = view.compactions.filter(({ at }) => at <= keep);
  return { ...view, compactions, countFrom: Math.min(view.countFrom, keep) };
}

/** The changes that lead to a view. */
export function changesTo({ compactions, pins, factors }: SessionView): ViewChange[] {
  return [
    ...pins.map((text): ViewChange => ({ type: 'pin_fact', text })),
    ...compactions.map((compaction): ViewChange => ({ type: 'compaction', ...compaction })),
    ...Object.entries(factors).map(([model, factor]): ViewChange => ({ type: 'estimate', model, factor })),
  ];
}
