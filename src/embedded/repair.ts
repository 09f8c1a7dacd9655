import { addUsage, noUsage, type Usage } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';

type Call = { name: string; json: string; events: ProviderEvent[] };

export type Repair = {
  isGood(call: Call): boolean;
  /** Whether a piece of text was meant as a call. */
  isAttempt(text: string): boolean;
  again(): AsyncIterable<ProviderEvent>;
};

/**
 * A reply whose calls can be read. When one of them cannot, the model is asked once more, held to a grammar: its words
 * stay, its calls are those of the second reply.
 */
export async function* repairing(
  first: AsyncIterable<ProviderEvent>,
  { isGood, isAttempt, again }: Repair,
): AsyncGenerator<ProviderEvent> {
  const calls = new Map<string, Call>();
  /** From what seems to be a failed call on: shown only if it is none. */
  const held: ProviderEvent[] = [];
  let spent = noUsage;
  for await (const event of first) {
    if (event.type === 'usage') spent = event.usage;
    if ('key' in event) keepCall(calls, event);
    else if (event.type === 'text' && (held.length > 0 || isAttempt(event.text))) held.push(event);
    else if (event.type !== 'stop') yield event;
    else {
      const all = [...calls.values()];
      const failed = !all.every(isGood) || (all.length === 0 && held.length > 0);
      // Cut off by the limit, a call is no slip that a grammar could mend.
      if (failed && event.reason !== 'max_tokens') return yield* onlyCalls(again(), spent);
      yield* held;
      for (const call of all) yield* call.events;
      return yield event;
    }
  }
  yield* held;
}

/** Text that begins as a call of one of these tools does. */
export function attemptOf(tools: readonly string[]): (text: string) => boolean {
  return (text) => {
    const name =
      /^\s*(?:<tool_call>|`{3,}\w*)?\s*[[{]+\s*["']?(?:name|tool|function)["']?\s*:\s*["']([^"']+)/.exec(
        text,
      )?.[1];
    return name !== undefined && tools.includes(name);
  };
}

function keepCall(calls: Map<string, Call>, event: Extract<ProviderEvent, { key: string }>): void {
  const name = event.type === 'tool_call_start' ? event.name : '';
  const call = calls.get(event.key) ?? { name, json: '', events: [] };
  if (event.type === 'tool_call_delta') call.json += event.json;
  call.events.push(event);
  calls.set(event.key, call);
}

async function* onlyCalls(events: AsyncIterable<ProviderEvent>, spent: Usage): AsyncGenerator<ProviderEvent> {
  for await (const event of events) {
    if (event.type === 'usage') yield { type: 'usage', usage: addUsage(spent, event.usage) };
    else if (event.type === 'stop' || 'key' in event) yield event;
  }
}
