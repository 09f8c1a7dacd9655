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
 * Ensures valid calls in a reply. If one is invalid, the model is asked once more, constrained by a grammar:
 * the text stays, the calls come from the second reply.
 */
export async function* repairing(
  first: AsyncIterable<ProviderEvent>,
  { isGood, isAttempt, again }: Repair,
): AsyncGenerator<ProviderEvent> {
  const calls = new Map<string, Call>();
  /** Everything from a suspected failed call on: shown only if it is not one. */
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
      // A grammar cannot fix a call truncated by the output limit.
      if (failed && event.reason !== 'max_tokens') return yield* onlyCalls(again(), spent);
      yield* held;
      for (const call of all) yield* call.events;
      return yield event;
    }
  }
  yield* held;
}

/** Text that starts like a call of one of these tools. */
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
