import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/schema/schema.ts';
import type { Spending } from '../../contract/command.ts';
import { BudgetReachedError } from '../../contract/errors.ts';
import {
  formatLimit,
  type Limit,
  type LimitScope,
  limitInPrompt,
  parseLimits,
} from '../../contract/limit.ts';
import { noUsage, type Usage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import type { LimitAmounts, SharedBudget } from '../../contract/shared-budget.ts';
import { pause } from '../../lib/async/abort.ts';
import {
  type Admission,
  amountsOf,
  judgeCall,
  type PlannedCall,
  type ScopedLimit,
  type SpendingScope,
  type SpendingState,
  standingOf,
  tallyOf,
  tokensOf,
} from '../../observability/spending/cost.ts';
import {
  type CallOwner,
  type Hold,
  Ledger,
  type SpendingTotals,
  type Sums,
} from '../../observability/spending/ledger.ts';
import { costOf, type PricedModel, servedAt } from '../../providers/models/models.ts';
import { tierNamed } from '../../providers/tiers.ts';
import type { Choice } from './choose-model.ts';
import { createPriceEstimate, unpriced } from './estimated-price.ts';
import { limitReached, type ReachedLimit } from './limit-reached.ts';
import { type BoundedPrompt, createPromptBound, type PromptBound } from './prompt-bound.ts';
import { isFree, NOTHING, SharedSpending } from './shared-spending.ts';
import { UsageEstimate } from './usage-estimate.ts';
import { planCall, spentAtMost } from './worst-case.ts';

export type BudgetDeps = {
  /** One file per day. */
  folder: string;
  session: { id: string };
  limits: Config['limits'];
  notice(level: 'info' | 'warn', text: string): void;
  /** What was done in this run and what is left, for the message at a limit. */
  progressSummary(): string;
  /** Of the batch that this session belongs to. */
  shared?: SharedBudget | undefined;
  now?: () => Date;
};

/** How long to wait for running calls that reserve what the next one needs. */
const PATIENCE_MS = 300_000;
const POLL_MS = 200;
const SCOPES = ['run', 'session', 'day'] as const satisfies readonly LimitScope[];
const UNUSED: SpendingState = { spent: NOTHING, held: NOTHING };
const NO_SUMS: Sums = { spent: [], held: [], lost: [] };

/** Dollars per call; null if its price is unknown. */
export type CallCosts = (number | null)[];

/**
 * An admitted call: its owner in the ledger, its output limit if a budget applies, and what it reserved of the
 * shared one.
 */
type Admitted = Pick<Hold, 'id'> & {
  owner: CallOwner;
  held: boolean;
  /** With an estimated price if its own is unknown and a limit in dollars applies. */
  priced: PricedModel;
  /** If a limit applies. */
  call?: PlannedCall;
  maxTokens?: number;
  shared?: LimitAmounts;
};

/** An admission, or a limit so near that the prompt should be counted first. */
type Decision = Admission | { type: 'count' };

type PromptToAdmit = Pick<CallOwner, 'purpose'> & {
  choice: Choice;
  signal: AbortSignal;
  bounded: BoundedPrompt;
  /** The same after the vendor counted its tokens, if it does. */
  count(): Promise<BoundedPrompt>;
};

/** The spending of all scopes; `batch` is absent outside of one. */
type Standings = Partial<Record<SpendingScope, SpendingState>>;

/** Counts every call, and rejects any that could exceed a limit. */
export class Budget implements Spending {
  readonly #deps: BudgetDeps;
  readonly #ledger: Ledger;
  readonly #bounds = new Map<string, PromptBound>();
  readonly #limits: Record<LimitScope, readonly Limit[]>;
  #run = { id: randomUUID() as string, limits: [] as readonly Limit[] };
  readonly #now: () => Date;
  readonly #priced: (choice: Choice) => PricedModel;
  readonly #since: CallCosts = [];
  readonly #shared: SharedSpending | undefined;
  #troubled = false;

  constructor(deps: BudgetDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => new Date());
    this.#priced = createPriceEstimate((text) => deps.notice('warn', text));
    this.#ledger = new Ledger(deps.folder, this.#now);
    this.#shared = deps.shared && new SharedSpending(deps.shared, (text) => deps.notice('warn', text));
    const parsed = (text: string | undefined) => (text === undefined ? [] : (parseLimits(text) ?? []));
    const { run, session, day } = deps.limits;
    this.#limits = { run: parsed(run), session: parsed(session), day: parsed(day) };
  }

  /** A limit at the end of the prompt applies to this run. */
  beginRun(prompt: string): void {
    const limit = limitInPrompt(prompt);
    this.#run = { id: randomUUID(), limits: limit ? [limit] : [] };
    if (limit) this.#deps.notice('info', `Limit for this run: ${formatLimit(limit)}.`);
  }

  /** Dollars since the previous call of this method, for these calls; null if a price was unknown. */
  takeCost(costs: CallCosts = this.#since): number | null {
    const since = costs.splice(0);
    return since.includes(null) ? null : since.reduce<number>((sum, usd) => sum + (usd ?? 0), 0);
  }

  /** Costs that were not taken count as the session's. */
  keepRest(costs: CallCosts): void {
    this.#since.push(...costs.splice(0));
  }

  /** Wraps a provider: each call is counted and held to the limits. */
  metered(
    provider: Provider,
    {
      choice,
      purpose,
      costs = this.#since,
    }: Pick<CallOwner, 'purpose'> & { choice: Choice; costs?: CallCosts | undefined },
  ): Provider {
    const { preset } = choice;
    const bound = this.#boundOf(preset.name);
    const admit = (request: CompletionRequest, signal: AbortSignal) => {
      const count = () => bound.count(provider, request, signal);
      return this.#admit(request, { choice, purpose, signal, bounded: bound.of(request), count });
    };
    /** The cost; null if there was none, or none that is known. */
    const settle = (admitted: Admitted, usage: Usage | null, received: UsageEstimate, reported: boolean) => {
      const { owner, id, priced, call } = admitted;
      if (!usage) {
        if (admitted.held) this.#write((ledger) => ledger.release(id));
        return null;
      }
      const { searches, tier } = received;
      const tierPriced = servedAt(priced, tierNamed(preset, tier)?.price);
      const tokens = costOf(usage, tierPriced, this.#now());
      const usd = tokens === null ? null : tokens + searches * (preset.webSearch?.usd ?? 0);
      costs.push(usd);
      const most = call && !reported && { most: spentAtMost(call, received.most, priced) };
      const entry = { ...owner, id, at: this.#now().toISOString(), usage, usd, ...most };
      this.#write((ledger) => ledger.spend({ ...entry, ...(!reported && { estimated: true }) }));
      return usd;
    };
    const shared = this.#shared;
    const { notice } = this.#deps;
    return {
      ...provider,
      async *stream(request, signal) {
        const admitted = await admit(request, signal);
        const { maxTokens } = admitted;
        const received = new UsageEstimate();
        let isOver = false;
        let failure: unknown;
        try {
          const bounded = maxTokens === undefined ? request : { ...request, maxTokens };
          for await (const event of provider.stream(bounded, signal)) {
            received.take(event);
            if (event.type === 'stop' && event.reason === 'max_tokens' && maxTokens !== undefined)
              notice(
                'warn',
                `This answer is limited to ${maxTokens} tokens by your spending limit (${preset.name}).`,
              );
            yield event;
          }
          isOver = true;
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          if (received.usage) bound.learn(request, received.usage);
          const figures = isOver && received.usage;
          const isSent = isOver || received.hasOutput || signal.aborted;
          const usage = figures || (isSent ? received.estimate(request) : null);
          const usd = settle(admitted, usage, received, Boolean(figures));
          if (admitted.shared) {
            const reported = figures && usedBy(figures, { usd, purpose });
            const cost = reported || (isFree(failure) && !received.hasOutput ? NOTHING : admitted.shared);
            await shared?.settle(admitted.id, cost);
          }
        }
      },
    };
  }

  /** A paid request to a service other than a model: not made if it would exceed a limit in dollars. */
  async charge<T>(service: string, usd: number, request: () => Promise<T>): Promise<T> {
    const batch = await this.#shared?.totals();
    const full = await this.#decide<ReachedLimit | null>((totals) => {
      const standings = { ...this.#standings(totals), ...(batch && { batch }) };
      const states = this.#active().map((by) => ({ ...by, used: usedOf(by, standings) }));
      const full = states.find(({ limit, used }) => limit.unit === 'usd' && used + usd > limit.amount);
      return { verdict: full ?? null };
    });
    if (full) throw limitReached(full);
    const id = randomUUID();
    const cost = { ...NOTHING, usd };
    if (this.#shared && !(await this.#shared.reserve(id, cost))) return this.charge(service, usd, request);
    // A failed request may have been charged, too.
    const answer = await request().finally(() => this.#shared?.settle(id, cost));
    this.#since.push(usd);
    const at = this.#now().toISOString();
    const owner = { session: this.#deps.session.id, run: this.#run.id, model: service } as const;
    this.#write((ledger) => ledger.spend({ ...owner, purpose: 'helper', id, at, usage: noUsage, usd }));
    return answer;
  }

  async costs(): ReturnType<Spending['costs']> {
    const totals = this.#ledger.totals(this.#deps.session.id);
    return SCOPES.map((scope) => ({ scope, models: tallyOf(this.#sumsOf(scope, totals).spent) }));
  }

  async limits(): ReturnType<Spending['limits']> {
    const standings = this.#standings(this.#ledger.totals(this.#deps.session.id));
    return this.#own().map(({ scope, limit }) => ({
      scope,
      limit,
      used: standings[scope].spent[limit.unit],
    }));
  }

  setLimits(scope: LimitScope, limits: readonly Limit[]): void {
    this.#limits[scope] = limits;
  }

  #active(): ScopedLimit[] {
    return [
      ...this.#own(),
      ...(this.#shared?.limits ?? []).map((limit) => ({ scope: 'batch', limit }) as const),
    ];
  }

  #own(): (ScopedLimit & { scope: LimitScope })[] {
    const { run, session, day } = this.#limits;
    const of = (scope: LimitScope, limits: readonly Limit[]) => limits.map((limit) => ({ scope, limit }));
    return [...of('run', [...run, ...this.#run.limits]), ...of('session', session), ...of('day', day)];
  }

  async #admit(
    request: CompletionRequest,
    { choice, purpose, signal, ...prompt }: PromptToAdmit,
  ): Promise<Admitted> {
    const { info, preset } = choice;
    const limits = this.#active();
    const model = `${preset.name}/${request.model}`;
    const { account } = choice.key ?? {};
    const owner = {
      session: this.#deps.session.id,
      run: this.#run.id,
      model,
      ...(account !== undefined && { account }),
      purpose,
    };
    const id = randomUUID();
    const priced = limits.some(({ limit }) => limit.unit === 'usd') ? this.#priced(choice) : info;
    if (limits.length === 0) return { owner, id, held: false, priced };
    const plan = (inputTokens: number) => planCall(request, inputTokens, { choice, priced, purpose });
    let call = plan(prompt.bounded.tokens);
    let canCount = prompt.bounded.isRough;
    if (!call.price && limits.some(({ limit }) => limit.unit === 'usd')) throw unpriced(model);
    const until = performance.now() + PATIENCE_MS;
    for (let notified = false; ; ) {
      signal.throwIfAborted();
      const canWait = performance.now() < until;
      const batch = await this.#shared?.totals(signal);
      const verdict = await this.#decide<Decision>((totals) => {
        const standings: Standings = { ...this.#standings(totals), ...(batch && { batch }) };
        const standing = limits.map((limit) => ({ limit, standing: standings[limit.scope] ?? UNUSED }));
        const verdict = judgeCall(standing, call, { canWait });
        const isFar = verdict.type === 'go' && verdict.outputTokens === call.outputTokens;
        if (!isFar && canCount) return { verdict: { type: 'count' } };
        if (verdict.type !== 'go') return { verdict };
        const amounts = amountsOf({ ...call, outputTokens: verdict.outputTokens });
        return { verdict, hold: { ...owner, id, at: this.#now().toISOString(), ...amounts } };
      });
      if (verdict.type === 'count') {
        call = plan((await prompt.count()).tokens);
        canCount = false;
        continue;
      }
      if (verdict.type === 'go') {
        const { outputTokens: maxTokens } = verdict;
        const admitted = { owner, id, held: this.#own().length > 0, priced, call, maxTokens };
        if (!this.#shared) return admitted;
        const { most } = amountsOf({ ...call, outputTokens: verdict.outputTokens });
        const shared = { ...most, turns: purpose === 'main' ? 1 : 0 };
        if (await this.#reserve(id, shared, signal)) return { ...admitted, shared };
        continue;
      }
      if (verdict.type === 'stop')
        throw limitReached(
          { ...verdict.by, used: verdict.used },
          { next: call, progress: this.#deps.progressSummary() },
        );
      if (!notified)
        this.#deps.notice('info', `Waiting for other runs that may use up the rest of the limit.`);
      notified = true;
      await pause(POLL_MS, signal);
    }
  }

  /** False, and nothing stays reserved, if another process was faster. */
  async #reserve(id: string, most: LimitAmounts, signal: AbortSignal): Promise<boolean> {
    let reserved = false;
    try {
      reserved = (await this.#shared?.reserve(id, most, signal)) ?? true;
    } finally {
      if (!reserved && this.#own().length > 0) this.#write((ledger) => ledger.release(id));
    }
    return reserved;
  }

  /** Without limits of its own, a session neither waits for the ledger nor reserves anything there. */
  async #decide<T>(judge: (totals: SpendingTotals) => { verdict: T; hold?: Hold }): Promise<T> {
    if (this.#own().length === 0) return judge({ today: NO_SUMS, session: NO_SUMS }).verdict;
    try {
      return await this.#ledger.decide(this.#deps.session.id, judge);
    } catch (error) {
      throw new BudgetReachedError(
        `Cannot enforce the limit: writing the usage ledger failed (${(error as Error).message}).`,
        `Fix ${this.#deps.folder}, or continue without a limit.`,
      );
    }
  }

  /** Vendors count differently, also for models of the same name. */
  #boundOf(vendor: string): PromptBound {
    const bound = this.#bounds.get(vendor) ?? createPromptBound();
    this.#bounds.set(vendor, bound);
    return bound;
  }

  #standings(totals: SpendingTotals): Record<LimitScope, SpendingState> {
    const of = (scope: LimitScope) => standingOf(this.#sumsOf(scope, totals));
    return { run: of('run'), session: of('session'), day: of('day') };
  }

  /** Only the daily limit depends on the date: a run or session may continue past midnight. */
  #sumsOf(scope: LimitScope, { today, session }: SpendingTotals): Sums {
    if (scope !== 'run') return scope === 'day' ? today : session;
    const isOurs = ({ run }: CallOwner) => run === this.#run.id;
    const { spent, held, lost } = session;
    return { spent: spent.filter(isOurs), held: held.filter(isOurs), lost: lost.filter(isOurs) };
  }

  /** If the ledger cannot be written, the user gets a warning; the answer continues. */
  #write(writing: (ledger: Ledger) => void): void {
    try {
      writing(this.#ledger);
    } catch (error) {
      if (!this.#troubled)
        this.#deps.notice('warn', `Cannot save usage and cost (${(error as Error).message}).`);
      this.#troubled = true;
    }
  }
}

function usedOf({ scope, limit }: ScopedLimit, standings: Standings): number {
  const { spent, held } = standings[scope] ?? UNUSED;
  return spent[limit.unit] + held[limit.unit];
}

function usedBy(usage: Usage, { usd, purpose }: { usd: number | null; purpose: string }): LimitAmounts {
  return { usd: usd ?? 0, tokens: tokensOf(usage), turns: purpose === 'main' ? 1 : 0 };
}
