import * as z from 'zod';
import type { Display } from '../contract/display.ts';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { adaptAskUser } from './dialects/adapt-planning.ts';

const MAX_CHOICES = 9;
/** The title shows a shorter question completely. */
const TITLE_LENGTH = 60;

export const askUser = defineTool({
  name: 'AskUser',
  aliases: [
    'ask_user_question',
    'ask_question',
    'ask',
    'ask_followup_question',
    'request_user_input',
    'question',
  ],
  argumentAliases: {
    question: ['prompt', 'message', 'text', 'query'],
    choices: ['options', 'suggestions', 'follow_up', 'answers'],
  },
  adapt: adaptAskUser,
  description:
    'Ask the user one question and wait for the answer. ' +
    'Ask only what you cannot find out yourself and what would change the work.',
  input: () =>
    z.object({
      question: z.string().min(1).describe('One question, with the context needed to answer it'),
      choices: z
        .array(z.string().min(1))
        .max(MAX_CHOICES)
        .default([])
        .describe('Likely answers, best first; the user can also type another answer'),
    }),

  title: ({ question }) => `AskUser ${question.trim().replaceAll(/\s+/g, ' ')}`,
  access: () => [],

  async run({ question, choices }, { ask, signal }) {
    const answer = (await ask({ question, choices }, signal))?.trim();
    if (answer === undefined) {
      return fail('No user is available to answer. Choose the most sensible option and say which.');
    }
    if (answer === '') return ok('The user did not answer. Choose the most sensible option and say which.');
    return ok(answer, { display: askedDisplay(question.trim(), answer) });
  },
});

/** The answer, after a question that is too long for the title. */
export function askedDisplay(question: string, answer: string): Display {
  const isInTitle = question.length <= TITLE_LENGTH && !question.includes('\n');
  return { kind: 'text', text: isInTitle ? answer : `${question}\n\n${answer}` };
}
