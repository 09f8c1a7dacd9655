import { doingText } from '../../../commands/format/doing.ts';
import { loadingLine } from '../../../commands/format/loading.ts';
import { retryLine } from '../../../commands/format/retry.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';

/** A subagent at work, or one that has finished while others go on. */
export type Subagent = {
  /** The calls that started it and its parents, outermost first. */
  path: readonly string[];
  /** Its kind and task: `general: fix the tests`. */
  name: string;
  startedAt: number;
  calls: number;
  tokens: number;
  doing: string;
  ended?: { at: number; success: boolean };
};

const THINKS = 'waiting for the model';

/** The subagents after an event of one of them. */
export function reduceSubagents(
  subagents: readonly Subagent[],
  told: Extract<AgentEvent, { type: 'subagent' }>,
  now: number,
): readonly Subagent[] {
  const { event, agents, calls: path } = innermost(told);
  const known = subagents.find((one) => isSame(one.path, path));
  const subagent = known ?? {
    path,
    name: agents.at(-1) ?? '',
    startedAt: now,
    calls: 0,
    tokens: 0,
    doing: THINKS,
  };
  const next = { ...subagent, ...changeOf(subagent, event, now) };
  return known ? subagents.map((one) => (one === known ? next : one)) : [...subagents, next];
}

/** Without those that a call has started, directly or not. */
export function withoutSubagents(subagents: readonly Subagent[], callId: string): readonly Subagent[] {
  return subagents.filter(({ path }) => path[0] !== callId);
}

/** Parents before their children; of siblings, those that still work come first. */
export function inTreeOrder(
  subagents: readonly Subagent[],
  parent: readonly string[] = [],
): readonly Subagent[] {
  const children = subagents.filter(
    ({ path }) => path.length === parent.length + 1 && isSame(path.slice(0, -1), parent),
  );
  const working = children.filter(({ ended }) => !ended);
  const finished = children.filter(({ ended }) => ended);
  return [...working, ...finished].flatMap((one) => [
    one,
    ...(one.ended ? [] : inTreeOrder(subagents, one.path)),
  ]);
}

function changeOf(subagent: Subagent, event: AgentEvent, now: number): Partial<Subagent> {
  switch (event.type) {
    case 'turn_start':
      return { doing: THINKS };
    case 'text':
      return { doing: 'answering' };
    case 'thinking':
      return { doing: 'thinking' };
    case 'call_start':
      return { doing: `preparing ${event.name}` };
    case 'question':
      return { doing: 'waiting for your answer' };
    case 'tool_start':
      return { doing: doingText(event.title), calls: subagent.calls + 1 };
    case 'tool_end':
      return { doing: THINKS };
    case 'retry':
      return { doing: retryLine(event) };
    case 'loading':
      return { doing: event.share < 1 ? loadingLine(event) : THINKS };
    case 'usage': {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      return {
        tokens: subagent.tokens + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
      };
    }
    case 'end':
      return { ended: { at: now, success: event.reason === 'done' } };
    default:
      return {};
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
