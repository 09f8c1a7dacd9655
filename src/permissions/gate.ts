import {
  type Answer,
  type Approver,
  type HookAnswer,
  type JudgedCall,
  type JudgeOptions,
  type Permission,
  type PermissionRequest,
  userDenied,
} from '../contract/permission.ts';
import { raceAbort } from '../lib/async/abort.ts';
import { oneAtATime } from '../lib/async/one-at-a-time.ts';
import { compareText } from '../lib/text/compare.ts';
import { singleQuoted } from '../lib/text/shell-quote.ts';
import { evaluate } from './evaluate.ts';
import { grantFor } from './granted.ts';
import { caseOf, readsClosed } from './judged-case.ts';
import type { Evaluation, Policy, Request } from './policy.ts';
import { askedAbout, grantOf, type Offer, offersFor, questionFor } from './question.ts';
import { suggestPattern } from './suggest.ts';

/** `because` goes to the model on denial; `reason` is the user's comment on a no. */
type Decision = {
  verdict: 'allow' | 'deny';
  by: string;
  because: string;
  /** Instead of `because`, which names flags that only the user can set. */
  toModel?: string;
  reason?: string;
} & Pick<Evaluation, 'opens' | 'withoutSandbox' | 'onlyReads'>;

export type GateOptions = {
  /** Read for every call: modes and rules may change in between. */
  policy(): Policy;
  /** Absent without a user: what would be asked is then denied. */
  approver?: Approver;
  /** Called for every yes to remember. */
  onGrant?(permission: Permission): Promise<void> | void;
  /**
   * Called when commands that the sandbox contains need no approval any more; or when the user trusts this folder,
   * where the policy says that this can be offered.
   */
  onFree?(choice: 'sandboxed' | 'trust'): Promise<void> | void;
};

type AskOptions = Pick<JudgeOptions, 'signal'> & Partial<JudgeOptions>;

/** A no that applies to identical requests until it is forgotten. */
type Denial = { key: string; operation: string; because: string };

export type Gate = {
  decide(call: JudgedCall, options: AskOptions): Promise<Decision>;
  /** All remembered approvals in effect, from the policy and from this gate. */
  grants(): readonly Permission[];
  denials(): Denial[];
  /**
   * The rules that a remembered yes to such a call would add; empty if it is not asked about, or always asked
   * about.
   */
  offers(call: Request): string[];
  /** Whether such a call could run: not forbidden, and a user is present if it must be asked about. */
  isPossible(call: Request): boolean;
  /** For a user who changed their mind. The policy's grants must be dropped in the policy. */
  forgetGrant(grant: Pick<Permission, 'type' | 'pattern'>): void;
  forgetDenial(key: string): void;
  /** With a new prompt, users may have changed their minds. */
  forgetDenials(): void;
};

/** Judges every call, asks if the policy requires it, one question at a time, and remembers the answers. */
export function createGate({ policy, approver, onGrant, onFree }: GateOptions): Gate {
  let grants: Permission[] = [];
  const denials = new Map<string, { operation: string; decision: Decision }>();
  const inTurn = oneAtATime();
  /** Calls whose question is open or waits for its turn. */
  let pending = 0;

  const current = (): Policy => {
    const now = policy();
    return { ...now, grants: [...now.grants, ...grants] };
  };
  const judge = (call: JudgedCall): Decision | Evaluation => {
    const judgement = evaluate(call, current());
    const denial = judgement.verdict === 'ask' ? denials.get(keyOf(call))?.decision : undefined;
    return denial ? { ...denial, because: `${denial.because} (${DECLINED_BEFORE})` } : judgement;
  };

  async function askUser(call: JudgedCall, options: AskOptions): Promise<Decision> {
    const { signal } = options;
    // An answer given while this question waited may also answer it.
    const judgement = judge(call);
    if (judgement.verdict !== 'ask') return settled(judgement);
    signal.throwIfAborted();
    if (!approver || options.isUnattended) return nobodyThere(call, judgement, current());

    const said = call.hook?.verdict === 'ask' ? null : await options.answerByHook?.();
    const answered = said && answeredByHook(call, said);
    if (answered) return answered;
    const offers = offersFor(call, current());
    const opened = opensOf(judgement);
    const asked = { ...call, because: judgement.because, ...opened };
    const question = { ...questionFor(asked, current(), offers), ...queueOf(options) };
    const full = (await options.beforeAsking?.(question)) ?? question;
    const answer = await answerTo(full, approver, signal);
    if (answer === null) return unseen;
    if (answer.choice === 'no') {
      const denial = denied(answer);
      denials.set(keyOf(call), { operation: call.operation, decision: denial });
      return denial;
    }
    const { choice } = answer;
    if (choice === 'session' || choice === 'always') await remember(offers, choice);
    else if (choice === 'sandboxed' || (choice === 'trust' && question.trust)) await onFree?.(choice);
    return { verdict: 'allow', by: 'user', because: `the user allowed it (${answer.choice})`, ...opened };
  }

  /** Null if the user has to be asked nevertheless. */
  function answeredByHook(call: JudgedCall, { verdict, because }: HookAnswer): Decision | null {
    const by = 'hook PermissionRequest';
    if (verdict === 'deny') return { verdict, by, because };
    const judgement = evaluate({ ...call, hook: { verdict, because } }, current());
    return judgement.verdict === 'allow' ? { ...settled(judgement), by } : null;
  }

  /** Questions of other agents wait their turn; later calls of this reply are not judged before. */
  function queueOf({ asked = 0, later = [] }: AskOptions): Pick<PermissionRequest, 'queue'> {
    const waiting = pending - 1 + later.filter((call) => judge(call).verdict === 'ask').length;
    const position = asked + 1;
    return position + waiting > 1 ? { queue: { position, total: position + waiting } } : {};
  }

  /** Remembers what was offered, even if the state of the world changed while the question was open. */
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
      pending++;
      try {
        return await inTurn(() => askUser(call, options));
      } finally {
        pending--;
      }
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
    forgetDenials: () => denials.clear(),
  };
}

const DECLINED_BEFORE = 'already declined in this run; ask the user before trying it again';

/** How often to ask a user who says yes without having seen everything. */
const MAX_ASKED = 3;

const unseen: Decision = {
  verdict: 'deny',
  by: 'gate',
  because: 'It was approved before all of it was shown, so it did not run. Send it in smaller parts.',
};

/** Null if every answer was a yes to something not completely shown, which does not count as a yes. */
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
  if (!said) return { verdict: 'deny', by: 'user', because: userDenied };
  return { verdict: 'deny', by: 'user', because: `${userDenied}: ${said}`, reason: said };
}

/** Names a flag only if it would help: some things are always asked about. */
function nobodyThere(call: JudgedCall, judgement: Evaluation, policy: Policy): Decision {
  const asked = askedAbout(call, policy).filter(({ target }) => target.trim() !== '');
  const patterns = asked.map(
    (access) => grantFor(call.tool, access, policy) ?? suggestPattern(call.tool, access, policy.cwd),
  );
  const wanted = [...new Set(patterns)];
  const allow = [...policy.rules.allow, ...wanted];
  const flags = wanted.map((pattern) => `--allow ${singleQuoted(pattern)}`);
  // No rule is suggested that would open what is closed for reading.
  const opensNothing = asked.every((access) => !readsClosed(caseOf(call, access, policy)));
  const helps =
    opensNothing && evaluate(call, { ...policy, rules: { ...policy.rules, allow } }).verdict === 'allow';
  const trust = [...(policy.rules.trust ?? []), ...wanted];
  const settles =
    opensNothing &&
    !helps &&
    evaluate(call, { ...policy, rules: { ...policy.rules, allow, trust } }).verdict === 'allow';
  const way = helps
    ? `allow it with ${flags.join(' ')}`
    : settles
      ? `approve it in an interactive session, or add ${wanted.map((one) => JSON.stringify(one)).join(', ')} to permissions.trust and permissions.allow in your settings`
      : 'approve it in an interactive session';
  const because = `${call.operation} needs approval (${judgement.because}), and this session is not interactive; ${way}`;
  const why = judgement.because.slice(0, MAX_REASON);
  const toModel = `Refused: it needs approval (${why}), and nobody can approve it in this run. Do what is possible without it, and say what is missing.`;
  return { verdict: 'deny', by: judgement.by, because, toModel };
}

/** A reason may quote a command. */
const MAX_REASON = 200;

/** The key of identical requests: same tool, same accesses, same input. */
function keyOf({ tool, accesses, input }: JudgedCall): string {
  return JSON.stringify([tool, accesses, input], (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)))
      : value,
  );
}
