import type { UserQuestion } from '../contract/tool.ts';
import type { Conversation } from './conversation.ts';
import { visible } from './visible.ts';

/** Puts the model's questions to the user, one at a time; null when the input has ended or the run was stopped. */
export function answerOnTerminal(
  talk: Pick<Conversation, 'ask' | 'print'>,
): (question: UserQuestion, signal: AbortSignal) => Promise<string | null> {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    // Two calls may ask at once, but a terminal holds one question.
    const mine = last.then(() => askOne(talk, question, signal));
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function askOne(
  talk: Pick<Conversation, 'ask' | 'print'>,
  { question, choices }: UserQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) return null;
  talk.print(`\n${visible(question).trim()}`);
  for (const [i, choice] of choices.entries()) talk.print(`  ${i + 1}. ${visible(choice).trim()}`);
  const prompt = choices.length === 0 ? 'Answer: ' : `Answer (1-${choices.length}, or your own words): `;
  const answer = (await talk.ask(prompt, signal))?.trim();
  if (answer === undefined) return null;
  const picked = /^\d+\.?$/.test(answer) ? choices[Number.parseInt(answer, 10) - 1] : undefined;
  return picked ?? answer;
}
