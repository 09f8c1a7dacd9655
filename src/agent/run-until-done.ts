import type { AgentEvent } from '../contract/event.ts';
import { runLoop } from './loop.ts';
import type { Run } from './run.ts';

/** Called when the model is done: the remaining work, or null. `again` counts the previous objections. */
export type RemainingWork = (again: number, signal: AbortSignal) => Promise<string | null>;

/** A hook that is never satisfied must not keep the model working forever. */
const MOST_AGAIN = 10;

/** Repeats the loop while a hook reports remaining work. All repetitions are one run. */
export async function* runUntilDone(
  run: Run,
  remainingWork: RemainingWork = async () => null,
): AsyncGenerator<AgentEvent> {
  let turns = 0;
  for (let again = 0; ; again++) {
    const more = yield* runOnce(run, {
      turns,
      ask: again < MOST_AGAIN ? (signal) => remainingWork(again, signal) : null,
    });
    if (more === null) return;
    turns = more.turns;
    const content = [{ type: 'text' as const, text: more.text }];
    const message = { role: 'user' as const, content, timestamp: new Date().toISOString() };
    run.history.push(message);
    yield { type: 'message', message };
  }
}

type Once = { turns: number; ask: ((signal: AbortSignal) => Promise<string | null>) | null };

/** The remaining work, or null when the run has ended. */
async function* runOnce(
  run: Run,
  { turns, ask }: Once,
): AsyncGenerator<AgentEvent, { text: string; turns: number } | null> {
  for await (const event of runLoop({ ...run, maxTurns: run.maxTurns - turns })) {
    if (event.type === 'turn_start') yield { ...event, turn: turns + event.turn };
    else if (event.type !== 'end') yield event;
    else {
      const all = turns + event.turns;
      const text = event.reason === 'done' && all < run.maxTurns ? ((await ask?.(run.signal)) ?? null) : null;
      if (text !== null && !run.signal.aborted) return { text, turns: all };
      yield { ...event, turns: all };
      return null;
    }
  }
  return null;
}
