import { randomUUID } from 'node:crypto';
import { type RouterDeps, runTools } from '../../agent/tool-router.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { textOf } from '../../contract/message.ts';

/** `refused`: it was not allowed to run. */
export type UserCall = { success: boolean; text: string; refused: boolean };

/** It is no part of the conversation, so its journal knows nothing of it. */
const unwritten: RouterDeps['log'] = { started: async () => undefined, answered: async () => undefined };

/** A call that a command of the user makes: judged, asked about and run like one of the model's. */
export async function callForUser(
  { name, input }: { name: string; input: unknown },
  deps: RouterDeps,
  { tell, signal }: { tell(event: AgentEvent): Promise<void>; signal: AbortSignal },
): Promise<UserCall> {
  const call = { type: 'tool_call' as const, id: `user-${randomUUID()}`, name, input };
  const outcome: UserCall = { success: false, text: '', refused: false };
  for await (const event of runTools([call], { ...deps, log: unwritten }, signal)) {
    if (event.type === 'judged') outcome.refused = event.verdict === 'deny';
    if (event.type !== 'message') await tell(event);
    else if (event.message.role === 'tool') {
      outcome.success = event.message.success;
      outcome.text = textOf(event.message);
    }
  }
  return outcome;
}
