import type { HookEvent } from '../../contract/hook-event.ts';
import { isObject, parseObject } from '../../lib/text/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';

/** The exit of a hook's command. */
export type HookEnding = { exitCode: number | null; stdout: string; stderr: string; timedOut: boolean };

/** What a hook decides about a call; other events know only a block. */
type HookVerdict = 'none' | 'allow' | 'ask' | 'block';

/**
 * The outcome of a hook. `because` is the reason of its verdict, `stops` why the run must end. `input`
 * replaces the call's; `context` is for the model, `notice` for the user; `unknown` lists what was not
 * understood. A failed hook has no effect.
 */
export type HookOutcome =
  | {
      type: 'said';
      verdict: HookVerdict;
      because: string;
      stops: string | null;
      context: string;
      notice: string;
      input?: Record<string, unknown>;
      unknown: string[];
    }
  | { type: 'failed'; because: string };

type Said = Extract<HookOutcome, { type: 'said' }>;

/** Exit code 2 blocks, with the reason on stderr. */
const BLOCKS = 2;
/** Where plain output is meant for the model. */
const ADDS_CONTEXT: readonly HookEvent[] = ['UserPromptSubmit', 'SessionStart'];
const LIMITS = { max: 10_000, head: 7_000, tail: 2_500 };
const NO_REASON = 'no reason given';
const silent: Said = {
  type: 'said',
  verdict: 'none',
  because: '',
  stops: null,
  context: '',
  notice: '',
  unknown: [],
};

export function outcomeOf(event: HookEvent, { exitCode, stdout, stderr, timedOut }: HookEnding): HookOutcome {
  const said = stdout.trim();
  const trouble = stderr.trim();
  if (timedOut) return { type: 'failed', because: 'it timed out' };
  if (exitCode === BLOCKS)
    return { ...silent, verdict: 'block', because: bound(trouble || said || NO_REASON) };
  if (exitCode !== 0) {
    const words = trouble.split('\n').at(-1) ?? '';
    return {
      type: 'failed',
      because: `exit code ${exitCode}${words === '' ? '' : `: ${words.slice(0, 300)}`}`,
    };
  }
  // Output that is one JSON object is a decision; anything else is plain output.
  const decision = parseObject(said);
  if (decision) return decided(event, decision);
  const unknown = said.startsWith('{') ? ['output that starts like JSON but is not'] : [];
  return { ...silent, context: ADDS_CONTEXT.includes(event) ? bound(said) : '', unknown };
}

/** A word that decides something; `verdicts` are those known for it. */
type Word = { key: string; value: unknown; verdicts: Readonly<Record<string, HookVerdict>> };

function decided(event: HookEvent, decision: Record<string, unknown>): Said {
  const specific = tableOf(decision.hookSpecificOutput);
  const isCall = event === 'PreToolUse';
  const answer = event === 'PermissionRequest' ? tableOf(specific.decision) : {};
  const given = wordsOf(event, decision, { specific, answer }).filter(
    ({ value }) => value !== undefined && value !== null,
  );
  const verdicts = given.map(({ value, verdicts: known }) => verdictOf(value, known));
  const verdict = strictest(verdicts.map((one) => one ?? (isAboutCall(event) ? 'ask' : 'none')));
  const reasons = [specific.permissionDecisionReason, answer.message, decision.reason].map(textOf);
  const because = verdict === 'none' ? '' : bound(reasons.find(Boolean) ?? NO_REASON);
  const input = isCall ? (specific.updatedInput ?? decision.updatedInput) : undefined;
  const ends = decision.continue === false ? bound(textOf(decision.stopReason) || NO_REASON) : null;
  return {
    type: 'said',
    verdict,
    because,
    stops: ends ?? (answer.interrupt === true && verdict === 'block' ? because : null),
    context: bound(textOf(specific.additionalContext) || textOf(decision.additionalContext)),
    notice: textOf(decision.systemMessage),
    ...(isObject(input) && { input }),
    unknown: [
      ...given.flatMap(({ key, value }, i) =>
        verdicts[i] === undefined ? [`${key} ${JSON.stringify(value).slice(0, 60)}`] : [],
      ),
      ...unknownFields(event, decision, { specific, answer }),
    ],
  };
}

type Inner = { specific: Record<string, unknown>; answer: Record<string, unknown> };

function wordsOf(event: HookEvent, decision: Record<string, unknown>, { specific, answer }: Inner): Word[] {
  const word = (key: string, value: unknown, verdicts: Word['verdicts']) => ({ key, value, verdicts });
  switch (event) {
    case 'PreToolUse':
      return [
        word('decision', decision.decision, CALL_WORDS),
        word('permissionDecision', specific.permissionDecision, CALL_WORDS),
      ];
    case 'PermissionRequest':
      // Running a call with another input than the hook wants would be wrong.
      return [
        word('decision', decision.decision, OTHER_WORDS),
        word('decision.behavior', answer.behavior, CALL_WORDS),
        word('decision.updatedInput', answer.updatedInput, {}),
      ];
    default:
      return [word('decision', decision.decision, OTHER_WORDS)];
  }
}

/** Where what is not understood is not a yes. */
function isAboutCall(event: HookEvent): boolean {
  return event === 'PreToolUse' || event === 'PermissionRequest';
}

/** `approve` and `block` are older names. A deferred call is one that somebody has to decide about. */
const CALL_WORDS: Readonly<Record<string, HookVerdict>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  defer: 'ask',
  block: 'block',
  deny: 'block',
};
const OTHER_WORDS: Readonly<Record<string, HookVerdict>> = {
  allow: 'none',
  approve: 'none',
  block: 'block',
  deny: 'block',
};

function verdictOf(value: unknown, known: Readonly<Record<string, HookVerdict>>): HookVerdict | undefined {
  return typeof value === 'string' && Object.hasOwn(known, value) ? known[value] : undefined;
}

const BY_STRICTNESS: readonly HookVerdict[] = ['none', 'allow', 'ask', 'block'];

function strictest(verdicts: readonly HookVerdict[]): HookVerdict {
  const ranks = verdicts.map((verdict) => BY_STRICTNESS.indexOf(verdict));
  return BY_STRICTNESS[Math.max(0, ...ranks)] ?? 'none';
}

type FieldType = 'text' | 'switch' | 'table' | 'any';

const FIELDS: Readonly<Record<string, FieldType>> = {
  additionalContext: 'text',
  continue: 'switch',
  decision: 'any',
  hookSpecificOutput: 'table',
  reason: 'text',
  stopReason: 'text',
  suppressOutput: 'switch',
  systemMessage: 'text',
};
const CALL_FIELDS: Readonly<Record<string, FieldType>> = {
  permissionDecision: 'any',
  permissionDecisionReason: 'text',
  updatedInput: 'table',
};
const ANSWER_FIELDS: Readonly<Record<string, FieldType>> = {
  behavior: 'any',
  message: 'text',
  interrupt: 'switch',
  updatedInput: 'any',
};

/** Fields that have no meaning for this event, or a value of the wrong type. */
function unknownFields(
  event: HookEvent,
  decision: Record<string, unknown>,
  { specific, answer }: Inner,
): string[] {
  const isCall = event === 'PreToolUse';
  const outer = isCall ? { ...FIELDS, updatedInput: CALL_FIELDS.updatedInput } : FIELDS;
  const inner = {
    hookEventName: 'any',
    additionalContext: 'text',
    ...(isCall && CALL_FIELDS),
    ...(event === 'PermissionRequest' && { decision: 'table' }),
  };
  const { hookEventName = event } = specific;
  return [
    ...wrongIn(decision, outer).map((key) => `the field ${key}`),
    ...wrongIn(specific, inner).map((key) => `the field hookSpecificOutput.${key}`),
    ...wrongIn(answer, ANSWER_FIELDS).map((key) => `the field hookSpecificOutput.decision.${key}`),
    ...(hookEventName === event ? [] : [`hookEventName ${JSON.stringify(hookEventName).slice(0, 60)}`]),
  ];
}

function wrongIn(table: Record<string, unknown>, known: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(table)
    .filter(([key, value]) => !Object.hasOwn(known, key) || !hasType(value, known[key]))
    .map(([key]) => key);
}

function hasType(value: unknown, type: unknown): boolean {
  if (value === null || value === undefined || type === 'any') return true;
  if (type === 'text') return typeof value === 'string';
  return type === 'switch' ? typeof value === 'boolean' : isObject(value);
}

function bound(text: string): string {
  return truncateText(text, LIMITS);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function tableOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
