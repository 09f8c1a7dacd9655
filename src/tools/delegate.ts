import { shortUsd } from '../contract/limit.ts';
import {
  type Delegated,
  type Delegation,
  fail,
  ok,
  type ToolContext,
  type ToolResult,
} from '../contract/tool.ts';
import { counted, grouped } from '../lib/text/counted.ts';

/** Delegates the work to a subagent and reports the result. */
export async function delegateCall(work: Delegation, { delegate }: ToolContext): Promise<ToolResult> {
  if (!delegate)
    return fail('You are a subagent yourself and cannot start another one from here. Do this work yourself.');
  const done = await delegate(work);
  if (typeof done === 'string') return fail(done);
  const { id, text, trouble, merge } = done;
  const { model, turns, calls, tokens, costUsd } = done;
  const extra = {
    display: {
      kind: 'text' as const,
      text: [summaryOf(done), trouble ?? '', merge ?? '', text].filter(Boolean).join('\n'),
    },
    metadata: { subagent: { id, agent: work.agent, model, turns, calls, tokens, costUsd } },
  };
  const resume = `[subagent ${id}: pass this id as "continue" to ask it more]`;
  const way = merge === undefined ? resume : `[${merge}]\n${resume}`;
  if (trouble === null) return ok(`${text}\n\n${way}`, extra);
  const sofar = text === '' ? 'It had not written anything yet.' : `Its output so far:\n${text}`;
  return fail(`The subagent stopped early: ${trouble}\n${sofar}\n\n${way}`, extra);
}

function summaryOf({ model, turns, calls, tokens, costUsd }: Delegated): string {
  const price = costUsd === null ? 'price unknown' : shortUsd(costUsd);
  return `${model}: ${counted(turns, 'turn')}, ${counted(calls, 'call')}, ${grouped(tokens)} tokens, ${price}`;
}
