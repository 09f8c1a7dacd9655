import { type HookEvent, matchedFields } from '../../contract/hook-event.ts';
import { type HookHandler, type HookHandlers, isMatched, targetOf } from './handlers.ts';
import { type HookEnding, type HookOutcome, outcomeOf } from './outcome.ts';

export type HookRun = { handler: HookHandler; input: string; signal: AbortSignal };

export type HooksOptions = {
  handlers: HookHandlers;
  /** Runs a command in the sandbox, or sends the input to a URL. */
  run(run: HookRun): Promise<HookEnding>;
  /** Passed to every hook, with the facts of the event. */
  facts(): Record<string, unknown>;
  /** Other names of a tool, which matchers may use. */
  otherNames?(tool: string, event: HookEvent): readonly string[];
  notice(text: string): void;
  /** Called with what a hook says to the model. */
  onSaid?(target: string, text: string): Promise<void>;
};

/**
 * The combined outcome of all hooks of an event. A block wins over a question, and that over a yes; among
 * equals the first one listed counts, and of several inputs the last.
 */
export type HookResult = {
  blocked: string | null;
  stopped: string | null;
  decision: { verdict: 'allow' | 'ask'; because: string } | null;
  context: string[];
  input?: Record<string, unknown>;
};

export type Firing = {
  /** The input of the hooks, beside what every hook gets. */
  facts: Record<string, unknown>;
  /** Whether the call matches a permission rule; absent for other events. */
  meets?(rule: string): Promise<boolean>;
  signal: AbortSignal;
};

export type Hooks = { fire(event: HookEvent, firing: Firing): Promise<HookResult> };

/** The user's hooks. Those of one event run side by side, a command or URL that is listed twice once. */
export function createHooks(options: HooksOptions): Hooks {
  const { handlers, run, facts, otherNames = () => [], notice } = options;
  const named = new Set<string>();
  const ran = new Set<HookHandler>();

  /** Once for each command. */
  function nameUnknown(event: HookEvent, target: string, unknown: readonly string[]): void {
    const fresh = unknown.filter((what) => !named.has(`${event} ${target} ${what}`));
    for (const what of fresh) named.add(`${event} ${target} ${what}`);
    if (fresh.length > 0)
      notice(
        `The ${event} hook \`${short(target)}\` printed ${fresh.join(', ')}: not supported there${fresh.some(isDecision) ? ', so you are asked' : ' and ignored'}.`,
      );
  }

  async function meant(event: HookEvent, { facts: about, meets }: Firing): Promise<HookHandler[]> {
    const field = matchedFields[event];
    const value = field === null ? null : String(about[field]);
    const names = value === null ? [] : [value, ...(field === 'tool_name' ? otherNames(value, event) : [])];
    const matched = handlers[event].filter(
      (handler) => !ran.has(handler) && (value === null || isMatched(handler.matcher, names)),
    );
    const distinct = matched.filter((handler, i) => matched.findIndex((one) => isSame(one, handler)) === i);
    const isMeant = await Promise.all(
      distinct.map(({ condition }) => condition === undefined || !meets || meets(condition)),
    );
    return distinct.filter((_, i) => isMeant[i]);
  }

  /** Null if it failed, which is reported, or its outcome is not waited for. */
  async function outcomeFor(event: HookEvent, asked: HookRun): Promise<HookOutcome | null> {
    const { handler, signal } = asked;
    const target = targetOf(handler);
    const ending = run(asked).then(
      (found) => outcomeOf(event, found),
      (error: unknown): HookOutcome => ({
        type: 'failed',
        because: String((error as Error)?.message ?? error),
      }),
    );
    const reported = ending.then((outcome) => {
      if (outcome.type === 'failed' && !signal.aborted)
        notice(`The ${event} hook \`${short(target)}\` failed: ${outcome.because}.`);
      return outcome;
    });
    if (handler.type === 'command' && handler.inBackground) return null;
    return reported;
  }

  return {
    async fire(event, firing) {
      const { signal } = firing;
      const result: HookResult = { blocked: null, stopped: null, decision: null, context: [] };
      const chosen = signal.aborted ? [] : await meant(event, firing);
      for (const handler of chosen) if (handler.once) ran.add(handler);
      const input = `${JSON.stringify({ ...facts(), hook_event_name: event, ...firing.facts })}\n`;
      const outcomes = await Promise.all(
        chosen.map((handler) => outcomeFor(event, { handler, input, signal })),
      );
      for (const [i, outcome] of outcomes.entries()) {
        if (outcome?.type !== 'said') continue;
        const { verdict, because, stops } = outcome;
        const handler = chosen[i];
        if (handler) nameUnknown(event, targetOf(handler), outcome.unknown);
        if (outcome.context !== '') result.context.push(outcome.context);
        const text = verdict === 'block' ? `${outcome.context}\n${because}` : outcome.context;
        if (handler && text !== '') await options.onSaid?.(targetOf(handler), text);
        if (outcome.notice !== '') notice(outcome.notice);
        if (outcome.input) result.input = outcome.input;
        if (verdict === 'block') result.blocked ??= because;
        result.stopped ??= stops;
        if (verdict === 'ask' && result.decision?.verdict !== 'ask') result.decision = { verdict, because };
        if (verdict === 'allow') result.decision ??= { verdict, because };
      }
      return result;
    },
  };
}

function isSame(a: HookHandler, b: HookHandler): boolean {
  return (
    a.type === b.type &&
    targetOf(a) === targetOf(b) &&
    a.condition === b.condition &&
    a.origin?.root === b.origin?.root
  );
}

function isDecision(unknown: string): boolean {
  return /^(permissionDecision|decision\.\w+) /.test(unknown);
}

function short(target: string): string {
  const [line = ''] = target.split('\n');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
