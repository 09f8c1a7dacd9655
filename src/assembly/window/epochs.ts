import type { SessionWriter } from '../../agent/session-writer.ts';
import { sentSummary } from '../../context/kept.ts';
import type { Epoch, EpochCause } from '../../contract/request/epoch.ts';
import type { Session } from '../../contract/session.ts';
import { type MaskedEpoch, type SessionView, wholeView } from '../../contract/view.ts';

/** How the next epoch would begin. */
export type Prefix = Omit<Epoch, 'from' | 'cause' | 'compactedAt' | 'summary' | 'vendorSummary'>;

export type EpochsDeps = {
  session: Session;
  writer: Pick<SessionWriter, 'changeView'>;
  /** Builds a prefix from how things are now. */
  build(): Promise<Prefix>;
  /** Which models can continue the prefix of an epoch: those with the same value. */
  reader(): string;
  /** Whether the answering model reads what this provider made of a conversation; absent: no. */
  readsSummaryOf?(provider: string): boolean;
  /** Hides secrets in what is about to be sent for the first time. */
  outgoing<T>(value: T): T;
};

/**
 * Owns what the requests of a conversation begin with. It is built once, recorded as it is sent, and never rendered
 * again: not after a resume, and not by a newer version of this program. Only a declared boundary begins a new epoch.
 */
export class Epochs {
  readonly #deps: EpochsDeps;
  #beginning: Promise<Epoch> | undefined;

  constructor(deps: EpochsDeps) {
    this.#deps = deps;
  }

  /** The epoch that the next request belongs to; undefined if it will begin a new one. */
  get current(): MaskedEpoch | undefined {
    const epoch = this.#view.epochs.at(-1);
    return epoch && this.#boundary(epoch) === null ? epoch : undefined;
  }

  /** The current epoch. Begins one if there is none, or a model answers that cannot continue it. */
  async ensure(): Promise<Epoch> {
    const last = this.#view.epochs.at(-1);
    const cause = last ? this.#boundary(last) : 'start';
    return this.#beginning ?? (last && cause === null ? last : this.begin(cause ?? 'start'));
  }

  /** What the next request begins with; records nothing. */
  async preview(): Promise<Pick<Epoch, 'system' | 'summary' | 'vendorSummary' | 'tools'>> {
    return this.current ?? this.#withSummary(await this.#deps.build());
  }

  /** Declares a boundary: everything before is sent without reasoning, behind a prefix of today. */
  async begin(cause: EpochCause): Promise<Epoch> {
    this.#beginning ??= this.#begin(cause).finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  /** The last epoch's prefix again, without the reasoning of any message so far: the vendor refused to read it. */
  async dropReasoning(): Promise<void> {
    const last = this.#view.epochs.at(-1);
    if (!last) return;
    const { vendorSummary: _, masks: __, ...readable } = last;
    const from = this.#deps.session.messages.length;
    await this.#deps.writer.changeView({
      type: 'epoch',
      ...readable,
      ...this.#summary({ inWords: true }),
      from,
      cause: 'repair',
    });
  }

  async #begin(cause: EpochCause): Promise<Epoch> {
    const { session, writer, build } = this.#deps;
    const prefix = this.#withSummary(await build());
    const epoch = { ...prefix, from: session.messages.length, cause };
    await writer.changeView({ type: 'epoch', ...epoch });
    return epoch;
  }

  #withSummary(prefix: Prefix): Omit<Epoch, 'from' | 'cause'> {
    const { outgoing } = this.#deps;
    return {
      ...prefix,
      system: outgoing(prefix.system),
      tools: outgoing(prefix.tools),
      ...this.#summary(),
    };
  }

  #summary({ inWords = false } = {}): Pick<Epoch, 'compactedAt' | 'summary' | 'vendorSummary'> {
    const compaction = this.#view.compactions.at(-1);
    if (!compaction) return {};
    const { outgoing, readsSummaryOf } = this.#deps;
    const { vendorSummary: made } = compaction;
    const vendorSummary = !inWords && made && readsSummaryOf?.(made.provider) ? made : undefined;
    const summary = sentSummary(vendorSummary ? { ...compaction, summary: null } : compaction);
    return {
      compactedAt: compaction.at,
      ...(summary !== undefined && { summary: outgoing(summary) }),
      ...(vendorSummary && { vendorSummary }),
    };
  }

  /** Why the epoch cannot be continued; null if it can. */
  #boundary(epoch: Epoch): EpochCause | null {
    const compaction = this.#view.compactions.at(-1);
    if (epoch.compactedAt !== compaction?.at) return compaction ? 'compaction' : 'uncompact';
    const { reader, readsSummaryOf } = this.#deps;
    const { vendorSummary } = epoch;
    const isReadable = !vendorSummary || readsSummaryOf?.(vendorSummary.provider);
    return isReadable && epoch.reader === reader() ? null : 'model';
  }

  get #view(): SessionView {
    return this.#deps.session.view ?? wholeView;
  }
}
