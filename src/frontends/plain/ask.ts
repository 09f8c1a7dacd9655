import type { Answer, Approver } from '../../contract/permission.ts';
import type { UserQuestion } from '../../contract/tool.ts';
import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { visible } from '../../lib/text/printable.ts';
import { exactLine } from '../../lib/text/visible-text.ts';
import type { Conversation } from './line-terminal.ts';
import { questionRows } from './plain-view.ts';

/** Asks the model's questions one at a time; null at the end of input or when the run was stopped. */
export function answerOnTerminal(
  talk: Pick<Conversation, 'ask' | 'print'>,
): (question: UserQuestion, signal: AbortSignal) => Promise<string | null> {
  // Concurrent calls may ask at once, but the terminal shows one question at a time.
  const inTurn = oneAtATime();
  return (question, signal) => inTurn(() => askOne(talk, question, signal));
}

async function askOne(
  talk: Pick<Conversation, 'ask' | 'print'>,
  { question, choices }: UserQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) return null;
  talk.print(`\n${visible(question).trim()}`);
  for (const [i, choice] of choices.entries()) talk.print(`  ${i + 1}. ${visible(choice).trim()}`);
  const prompt = choices.length === 0 ? 'Answer: ' : `Answer (1-${choices.length}, or type your own): `;
  const answer = (await talk.ask(prompt, signal))?.trim();
  if (answer === undefined) return null;
  const picked = /^\d+\.?$/.test(answer) ? choices[Number.parseInt(answer, 10) - 1] : undefined;
  return picked ?? answer;
}

/**
 * Waits for an explicit approval of what was just shown: only "y", in any case, approves; any unknown answer
 * is a no.
 */
export function askOnTerminal(talk: Pick<Conversation, 'ask' | 'print' | 'columns'>): Approver {
  return async ({ operation, agent, grants = [] }, signal) => {
    const rowsOf = (text: string) => questionRows(text, talk.columns);
    if (grants.length > 0) {
      const rules = grants.map(exactLine).join(', ');
      const keys = `  y once · s for this session · a always in this folder: ${rules} · n no, or n and a reason`;
      for (const row of rowsOf(keys)) talk.print(row);
    }
    const who = agent === undefined ? '' : `[${exactLine(agent)}] `;
    const rows = rowsOf(`${who}Allow: ${exactLine(operation)}? [y/n] `);
    for (const row of rows.slice(0, -1)) talk.print(row);
    const line = await talk.ask(rows.at(-1) ?? '', signal);
    return answerOf(line?.trim() ?? '', { lasting: grants.length > 0 });
  };
}

function answerOf(line: string, { lasting }: { lasting: boolean }): Answer {
  const word = line.toLowerCase();
  // The view has printed every line of the request before this.
  const shown = 'all';
  if (word === 'y') return { choice: 'once', shown };
  if (lasting && word === 's') return { choice: 'session', shown };
  if (lasting && word === 'a') return { choice: 'always', shown };
  const reason = /^no?[\s,:]+(.+)$/is.exec(line)?.[1];
  return reason === undefined ? { choice: 'no' } : { choice: 'no', reason };
}
