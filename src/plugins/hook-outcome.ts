import { isObject, parseObject } from '../lib/text/json.ts';
import { truncateText } from '../lib/text/truncate.ts';

/** When a hook runs. */
export type HookPoint =
  | 'PreToolUse'
  | 'PostToolUse'
  | 'UserPromptSubmit'
  | 'Stop'
  | 'SessionStart'
  | 'SessionEnd'
  | 'PreCompact';

/** The exit of a hook's command. */
export type HookEnding = { exitCode: number | null; stdout: string; stderr: string; timedOut: boolean };

/**
 * The outcome of a hook. `input` replaces the call's; `context` is for the model, `notice` for the user. A
 * failed hook has no effect.
 */
export type HookOutcome =
  | { type: 'go'; context: string; notice: string; input?: Record<string, unknown> }
  | { type: 'block'; because: string }
  | { type: 'failed'; because: string };

/** Exit code 2 blocks, with the reason on stderr. */
const BLOCKS = 2;
/** Where plain output is meant for the model. */
const ADDS_CONTEXT: readonly HookPoint[] = ['UserPromptSubmit', 'SessionStart'];
const LIMITS = { max: 10_000, head: 7_000, tail: 2_500 };

export function outcomeOf(point: HookPoint, { exitCode, stdout, stderr, timedOut }: HookEnding): HookOutcome {
  const said = stdout.trim();
  const trouble = stderr.trim();
  if (timedOut) return { type: 'failed', because: 'it timed out' };
  if (exitCode === BLOCKS) return { type: 'block', because: bound(trouble || said || 'no reason given') };
  if (exitCode !== 0) {
    const words = trouble.split('\n').at(-1) ?? '';
    return {
      type: 'failed',
      because: `exit code ${exitCode}${words === '' ? '' : `: ${words.slice(0, 300)}`}`,
    };
  }
  // Output that is one JSON object is a decision; anything else is plain output.
  const decision = parseObject(said);
  if (!decision) return { type: 'go', context: ADDS_CONTEXT.includes(point) ? bound(said) : '', notice: '' };
  return decided(decision);
}

function decided(decision: Record<string, unknown>): HookOutcome {
  const specific = tableOf(decision.hookSpecificOutput);
  const refused =
    decision.decision === 'block' ||
    decision.decision === 'deny' ||
    decision.continue === false ||
    specific.permissionDecision === 'deny';
  if (refused) {
    const reasons = [decision.reason, specific.permissionDecisionReason, decision.stopReason].map(textOf);
    return { type: 'block', because: bound(reasons.find(Boolean) ?? 'no reason given') };
  }
  const input = decision.updatedInput ?? specific.updatedInput;
  return {
    type: 'go',
    context: bound(textOf(specific.additionalContext) || textOf(decision.additionalContext)),
    notice: textOf(decision.systemMessage),
    ...(isObject(input) && { input }),
  };
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
