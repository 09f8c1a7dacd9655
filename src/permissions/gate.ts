import type { Answer, Approver, Opening, Permission, PermissionRequest } from '../contract/permission.ts';
import { raceAbort } from '../lib/async/abort.ts';
import { compareText } from '../lib/text/compare.ts';
import { evaluate } from './evaluate.ts';
import { grantFor } from './granted.ts';
import type { Evaluation, Policy, Request } from './policy.ts';
import { askedAbout, type Call, grantOf, type Offer, offersFor, questionFor } from './question.ts';
import { suggestPattern } from './suggest.ts';

/** `because` goes to the model when denied; `reason` is what the user said with a no. */
type Decision = {
  verdict: 'allow' | 'deny';
  by: string;
  because: string;
  reason?: string;
  opens?: Opening[];
};

export type GateOptions = {
  /** Read anew for every call: modes and rules may change between two. */
  policy(): Policy;
  /** Absent when nobody is there to be asked: what would be asked is then denied. */
  approver?: Approver;
  /** Told of every yes that is to be remembered. */
  onGrant?(permission: Permission): Promise<void> | void;
};

type DecideOptions = {
  signal: AbortSignal;
  /** Completes the question just before a person sees it. */
  beforeAsking?(request: PermissionRequest): Promise<PermissionRequest>;
};

/** A no that answers the identical request until it is forgotten. */
type Denial = { key: string; operation: string; because: string };

export type Gate = {
  decide(call: Call, options: DecideOptions): Promise<Decision>;
  /** Every remembered yes that counts now, the policy's and those given here. */
  grants(): readonly Permission[];
  denials(): Denial[];
  /** The rules a remembered yes to such a call would add; none where nothing is asked, or every time anew. */
  offers(call: Request): string[];
  /** Whether such a call could run: nothing forbids it, and somebody is there if it must be asked about. */
  isPossible(call: Request): boolean;
  /** For a user who changed their mind. A grant that the policy brings is the policy's to drop. */
  forgetGrant(grant: Pick<Permission, 'type' | 'pattern'>): void;
  forgetDenial(key: string): void;
};

/** Judges every call, asks where the policy asks, one question at a time, and remembers the answers. */
export function createGate({ policy, approver, onGrant }: GateOptions): Gate {
  let grants: Permission[] = [];
  const denials = new Map<string, { operation: string; decision: Decision }>();
  let lastQuestion: Promise<unknown> = Promise.resolve();

  const current = (): Policy => {
    const now = policy();
    return { ...now, grants: [...now.grants, ...grants] };
  };
  const judge = (call: Call): Decision | Evaluation => {
    const judgement = evaluate(call, current());
    return judgement.verdict === 'ask' ? (denials.get(keyOf(call))?.decision ?? judgement) : judgement;
  };

  async function askUser(call: Call, options: DecideOptions): Promise<Decision> {
    const { signal } = options;
    // An answer given while this question waited may answer it, too.
    const judgement = judge(call);
    if (judgement.verdict !== 'ask') return settled(judgement);
    signal.throwIfAborted();
    if (!approver) return nobodyThere(call, judgement, current());

    const offers = offersFor(call, current());
    const opened = opensOf(judgement);
    const asked = { ...call, because: judgement.because, ...opened };
    const question = questionFor(asked, current(), offers);
    const full = (await options.beforeAsking?.(question)) ?? question;
    const answer = await answerTo(full, approver, signal);
    if (answer === null) return unseen;
    if (answer.choice === 'no') {
      const denial = denied(answer);
      denials.set(keyOf(call), { operation: call.operation, decision: denial });
      return denial;
    }
    if (answer.choice !== 'once') await remember(offers, answer.choice);
    return { verdict: 'allow', by: 'user', because: `the user allowed it (${answer.choice})`, ...opened };
  }

  /** What was offered is what is kept, also if the world has changed while the question stood. */
  async function remember(offers: readonly Offer[], scope: Permission['scope']): Promise<void> {
    for (const permission of offers.map((offer) => grantOf(offer, scope))) {
      grants.push(permission);
      await onGrant?.(permission);
    }
  }

  return {
    async decide(call, options) {
      options.signal.throwIfAborted();
      const judgement = judge(call);
      if (judgement.verdict !== 'ask') return settled(judgement);
      const mine = lastQuestion.then(() => askUser(call, options));
      lastQuestion = mine.catch(() => undefined);
      return mine;
    },
    grants: () => current().grants,
    offers: (call) => offersFor(call, current()).map(({ pattern }) => pattern),
    isPossible(call) {
      const { verdict } = evaluate(call, current());
      return verdict === 'allow' || (verdict === 'ask' && approver !== undefined);
    },
    denials: () =>
      [...denials].map(([key, { operation, decision }]) => ({ key, operation, because: decision.because })),
    forgetGrant({ type, pattern }) {
      grants = grants.filter((grant) => grant.type !== type || grant.pattern !== pattern);
    },
    forgetDenial: (key) => void denials.delete(key),
  };
}

/** How often a question is put to somebody who says yes without having seen all of it. */
const MAX_ASKED = 3;

const unseen: Decision = {
  verdict: 'deny',
  by: 'gate',
  because: 'It was approved before all of it was shown, so it did not run. Send it in smaller parts.',
};

/** Null where every answer was a yes to something that was not completely shown: that is no yes. */
async function answerTo(
  question: PermissionRequest,
  approver: Approver,
  signal: AbortSignal,
): Promise<Answer | null> {
  for (let asked = 0; asked < MAX_ASKED; asked++) {
    const answer = await raceAbort(approver(question, signal), signal);
    if (answer.choice === 'no' || (answer.shown ?? 'all') === 'all') return answer;
  }
  return null;
}

function settled(judgement: Decision | Evaluation): Decision {
  const { verdict, ...rest } = judgement;
  return { ...rest, verdict: verdict === 'allow' ? 'allow' : 'deny' };
}

function opensOf({ opens }: Decision | Evaluation): Pick<Decision, 'opens'> {
  return opens ? { opens } : {};
}

function denied({ reason }: Extract<Answer, { choice: 'no' }>): Decision {
  const said = reason?.trim();
  if (!said) return { verdict: 'deny', by: 'user', because: 'User denied permission' };
  return { verdict: 'deny', by: 'user', because: `User denied permission: ${said}`, reason: said };
}

/** A flag is named only if it would help: some things are asked about whatever is allowed. */
function nobodyThere(call: Call, judgement: Evaluation, policy: Policy): Decision {
  const patterns = askedAbout(call, policy)
    .filter(({ target }) => target.trim() !== '')
    .map((access) => grantFor(call.tool, access, policy) ?? suggestPattern(call.tool, access, policy.cwd));
  const wanted = [...new Set(patterns)];
  const allow = [...policy.rules.allow, ...wanted];
  const flags = wanted.map((pattern) => `--allow '${pattern.replaceAll("'", "'\\''")}'`);
  const helps = evaluate(call, { ...policy, rules: { ...policy.rules, allow } }).verdict === 'allow';
  const way = helps ? `allow it with ${flags.join(' ')}` : 'approve it in an interactive session';
  const because = `${call.operation} needs approval (${judgement.because}), and this session is not interactive; ${way}`;
  return { verdict: 'deny', by: judgement.by, because };
}

/** The identical request: the same tool, touching the same, with the same input. */
function keyOf({ tool, accesses, input }: Call): string {
  return JSON.stringify([tool, accesses, input], (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)))
      : value,
  );
}
