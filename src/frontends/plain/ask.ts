import type { Answer, Approver, PermissionRequest } from '../../contract/permission.ts';
import type { UserQuestion } from '../../contract/tool.ts';
import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { visible } from '../../lib/text/printable.ts';
import { exactLine } from '../../lib/text/visible-text.ts';
import { freesCommands } from '../shared/frees-commands.ts';
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
 * Waits for an explicit approval of what was just shown: only "y", in any case, approves this once, and only a
 * whole word approves more. Any other answer is a no, except for a sentence on a terminal, which is a prompt.
 */
export function askOnTerminal(talk: Pick<Conversation, 'ask' | 'print' | 'columns'>): Approver {
  return async (request, signal) => {
    const { operation, agent } = request;
    const rowsOf = (text: string) => questionRows(text, talk.columns);
    const words = wordsFor(request);
    const offers = Object.entries(words).map(([word, { about }]) => `${word} ${about}`);
    if (offers.length > 1)
      for (const offer of [...offers, 'n no, or n and a reason'])
        for (const row of rowsOf(`  ${offer}`)) talk.print(row);
    const who = agent === undefined ? '' : `[${exactLine(agent)}] `;
    const rows = rowsOf(`${who}Allow: ${exactLine(operation)}? [y/n] `);
    for (const row of rows.slice(0, -1)) talk.print(row);
    const read = (line: string) => answerOf(line.trim(), words);
    const isAnswer = (line: string, continuesText: boolean) =>
      continuesText ? /^\s*no?\s*$/i.test(line) : read(line) !== null || !/\S\s+\S/.test(line);
    const line = await talk.ask(rows.at(-1) ?? '', signal, isAnswer);
    return read(line ?? '') ?? { choice: 'no' };
  };
}

type Words = Record<string, { about: string; choice: Exclude<Answer['choice'], 'no'> }>;

function wordsFor(request: PermissionRequest): Words {
  const { grants = [] } = request;
  const rules = grants.map(exactLine).join(', ');
  return {
    y: { about: 'once', choice: 'once' },
    ...(freesCommands(request) && {
      sandbox: { about: 'to run commands in the sandbox without asking', choice: 'sandboxed' },
    }),
    ...(grants.length > 0 && {
      session: { about: 'for this session', choice: 'session' },
      always: { about: `in this folder: ${rules}`, choice: 'always' },
    }),
    ...(request.trust && {
      trust: { about: 'this folder: edits and sandboxed commands run without asking', choice: 'trust' },
    }),
  };
}

/** Null for a line that is no answer. */
function answerOf(line: string, words: Words): Answer | null {
  const word = line.toLowerCase();
  // The view has printed every line of the request before this.
  if (Object.hasOwn(words, word)) return { choice: words[word]?.choice ?? 'once', shown: 'all' };
  if (/^no?$/.test(word)) return { choice: 'no' };
  const reason = /^no?[\s,:]+(.+)$/is.exec(line)?.[1];
  return reason === undefined ? null : { choice: 'no', reason };
}
