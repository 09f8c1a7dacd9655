import type { Epoch, SecretMask } from './request/epoch.ts';
import type { VendorSummary } from './request/vendor-summary.ts';

/**
 * What the model is shown of a session's messages. A view, never a deletion: the journal keeps all of them.
 */

/**
 * One compaction. Contains everything sent in place of old messages, so that requests stay byte-identical
 * until the next one, in this process and in any other that resumes the session.
 */
export type Compaction = {
  /** Summary of the messages before `keepFrom`, rounds joined by `---`; null while none was dropped. */
  summary: string | null;
  /** The same as the vendor made it, with the reasoning; sent in its place where it can be read. */
  vendorSummary?: VendorSummary;
  /** What is kept verbatim in addition: pinned facts, the task list, changed files, folder instructions. */
  kept: string;
  /** Messages from this index on are sent. */
  keepFrom: number;
  /** Of these, the ones before this index are sent in a shorter form; a higher level means shorter. */
  squeezeUntil: number;
  level: number;
  /** Maximum characters of one text among the messages at that time, if they would not fit otherwise. */
  textLimit?: number;
  /** Files with the full content of shortened prompts, by the prompt's digest. */
  fullTexts?: Readonly<Record<string, string>>;
  /** The number of messages at that time. */
  at: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Author of the summary: a model, or `extract`. `squeeze` if there is none. */
  by: string;
};

export type SessionView = {
  /** The last one applies; /uncompact returns to the one before. */
  compactions: readonly Compaction[];
  /** Facts the user wants kept verbatim. */
  pins: readonly string[];
  /** Vendor token counts before this message refer to another view. */
  countFrom: number;
  /** By model: its token count divided by our estimate. */
  factors: Readonly<Record<string, number>>;
  /** The last one applies. */
  epochs: readonly MaskedEpoch[];
};

/** An epoch and the secrets that its messages are sent without: a rewind returns to both. */
export type MaskedEpoch = Epoch & { masks: readonly SecretMask[] };

export type ViewChange =
  | ({ type: 'compaction' } & Compaction)
  /** The last compaction is undone; there were `at` messages. */
  | { type: 'uncompact'; at: number }
  | { type: 'pin_fact'; text: string }
  | { type: 'unpin_fact'; text: string }
  | { type: 'estimate'; model: string; factor: number }
  | ({ type: 'epoch' } & Epoch)
  | ({ type: 'mask' } & SecretMask);

export const wholeView: SessionView = {
  compactions: [],
  pins: [],
  countFrom: 0,
  factors: {},
  epochs: [],
};

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
    case 'epoch': {
      const { type: _type, ...epoch } = change;
      return { ...view, epochs: [...view.epochs, { ...epoch, masks: [] }] };
    }
    case 'mask': {
      const { type: _type, ...mask } = change;
      const epoch = view.epochs.at(-1);
      if (!epoch) return view;
      const masks = [...epoch.masks.filter(({ placeholder }) => placeholder !== mask.placeholder), mask];
      return { ...view, epochs: [...view.epochs.slice(0, -1), { ...epoch, masks }] };
    }
    default:
      return change satisfies never;
  }
}

/** The view when only the first `keep` messages are left: drops compactions and epochs that refer to others. */
export function rewindView(view: SessionView, keep: number): SessionView {
  const compactions = view.compactions.filter(({ at }) => at <= keep);
  const epochs = view.epochs.filter(({ from }) => from <= keep);
  return { ...view, compactions, epochs, countFrom: Math.min(view.countFrom, keep) };
}

/** The changes that produce a view. */
export function changesTo({ compactions, pins, factors, epochs }: SessionView): ViewChange[] {
  return [
    ...pins.map((text): ViewChange => ({ type: 'pin_fact', text })),
    ...compactions.map((compaction): ViewChange => ({ type: 'compaction', ...compaction })),
    ...epochs.flatMap(({ masks, ...epoch }): ViewChange[] => [
      { type: 'epoch', ...epoch },
      ...masks.map((mask): ViewChange => ({ type: 'mask', ...mask })),
    ]),
    ...Object.entries(factors).map(([model, factor]): ViewChange => ({ type: 'estimate', model, factor })),
  ];
}
