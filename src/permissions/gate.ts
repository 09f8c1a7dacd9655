import type { Access, Answer, Approver, Permission, PermissionRequest } from '../contract/permission.ts';
import { raceAbort } from '../lib/abort.ts';
import { type Evaluation, evaluate, type Policy, permissionSubjects } from './evaluate.ts';
import { suggestPattern } from './suggest.ts';

/** `because` goes to the model when denied; `reason` is what the user said with a no. */
type Decision = { verdict: 'allow' | 'deny'; by: string; because: string; reason?: string };

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

export type Gate = {
  decide(request: PermissionRequest & { input: unknown }, options: DecideOptions): Promise<Decision>;
  /** Drops what was answered in this session, for a user who changed their mind. */
  forget(): void;
};

type Call = PermissionRequest & { input: unknown };

/** Judges every call, asks where the policy asks, one question at a time, and remembers the answers. */
export function createGate({ policy, approver, onGrant }: GateOptions): Gate {
  let grants: Permission[] = [];
  const denials = new Map<string, Decision>();
  let lastQuestion: Promise<unknown> = Promise.resolve();

  const judge = (call: Call): Decision | Evaluation => {
    const judgement = evaluate(call, withGrants(policy(), grants));
    return judgement.verdict === 'ask' ? (denials.get(keyOf(call)) ?? judgement) : judgement;
  };

  async function askUser(call: Call, options: DecideOptions): Promise<Decision> {
    const { signal } = options;
    // An answer given while this question waited may answer it, too.
    const judgement = judge(call);
    if (judgement.verdict !== 'ask') return settled(judgement);
    signal.throwIfAborted();
    if (!approver) return nobodyThere(call, judgement, withGrants(policy(), grants));

    const { input: _, ...plain } = call;
    const question = { ...plain, because: judgement.because };
    const full = (await options.beforeAsking?.(question)) ?? question;
    const answer = await raceAbort(approver(full, signal), signal);
    if (answer.choice === 'no') {
      const denial = denied(answer);
      denials.set(keyOf(call), denial);
      return denial;
    }
    if (answer.choice !== 'once') await remember(call, answer.choice);
    return { verdict: 'allow', by: 'user', because: `the user allowed it (${answer.choice})` };
  }

  /** What is asked about every time stays so: a yes that would change nothing is not kept. */
  async function remember(call: Call, scope: Permission['scope']): Promise<void> {
    const current = withGrants(policy(), grants);
    const grantedAt = new Date().toISOString();
    const wanted = askedAbout(call, current).map(
      (access): Permission => ({
        type: access.kind,
        pattern: suggestPattern(call.tool, access, current.cwd),
        action: 'allow',
        scope,
        grantedAt,
      }),
    );
    if (evaluate(call, withGrants(current, wanted)).verdict !== 'allow') return;
    grants.push(...wanted);
    for (const permission of wanted) await onGrant?.(permission);
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
    forget() {
      grants = [];
      denials.clear();
    },
  };
}

function settled(judgement: Decision | Evaluation): Decision {
  const { verdict, ...rest } = judgement;
  return { ...rest, verdict: verdict === 'allow' ? 'allow' : 'deny' };
}

function denied({ reason }: Extract<Answer, { choice: 'no' }>): Decision {
  const said = reason?.trim();
  if (!said) return { verdict: 'deny', by: 'user', because: 'User denied permission' };
  return { verdict: 'deny', by: 'user', because: `User denied permission: ${said}`, reason: said };
}

/** A flag is named only if it would help: some things are asked about whatever is allowed. */
function nobodyThere(call: Call, judgement: Evaluation, policy: Policy): Decision {
  const patterns = askedAbout(call, policy).map((access) => suggestPattern(call.tool, access, policy.cwd));
  const wanted = [...new Set(patterns)];
  const allow = [...policy.rules.allow, ...wanted];
  const flags = wanted.map((pattern) => `--allow '${pattern.replaceAll("'", "'\\''")}'`);
  const helps = evaluate(call, { ...policy, rules: { ...policy.rules, allow } }).verdict === 'allow';
  const way = helps ? `allow it with ${flags.join(' ')}` : 'it is asked about every time, in a terminal';
  const because = `no permission for ${call.operation} (${judgement.because}) and nobody to ask; ${way}`;
  return { verdict: 'deny', by: judgement.by, because };
}

/** Of all that a call touches, what a yes is needed for. */
function askedAbout(call: Call, policy: Policy): Access[] {
  return permissionSubjects(call, policy.cwd).filter(
    (access) =>
      access.target.trim() !== '' && evaluate({ ...call, accesses: [access] }, policy).verdict === 'ask',
  );
}

function withGrants(policy: Policy, grants: readonly Permission[]): Policy {
  return { ...policy, grants: [...policy.grants, ...grants] };
}

/** The identical request: the same tool, touching the same, with the same input. */
function keyOf({ tool, accesses, input }: Call): string {
  return JSON.stringify([tool, accesses, input], (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
