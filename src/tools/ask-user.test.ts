import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { UserQuestion } from '../contract/tool.ts';
import { askUser } from './ask-user.ts';

async function asking(input: object, answer: string | null) {
  const { context } = await bench();
  const asked: UserQuestion[] = [];
  const ask = async (question: UserQuestion) => {
    asked.push(question);
    return answer;
  };
  return { result: await use(askUser, input, { ...context, ask }), asked };
}

describe('[U17] AskUser', () => {
  test.each([
    [
      'an answer',
      ' the blue one\n',
      {
        success: true,
        output: 'the blue one',
        display: { kind: 'text', text: 'the blue one' },
      },
    ],
    [
      'no words',
      '  ',
      { success: true, output: 'The user did not answer. Choose the most sensible option and say which.' },
    ],
    [
      'nobody',
      null,
      {
        success: false,
        error: 'No user is available to answer. Choose the most sensible option and say which.',
      },
    ],
  ])('%s', async (_name, answer, result) => {
    expect(await asking({ question: 'Which?', choices: ['red', 'blue'] }, answer)).toEqual({
      result,
      asked: [{ question: 'Which?', choices: ['red', 'blue'] }],
    });
  });

  test('a question may have no choices, and nine at most', async () => {
    expect((await asking({ question: 'Which?' }, 'x')).asked).toEqual([{ question: 'Which?', choices: [] }]);
    const choices = Array.from({ length: 10 }, (_, i) => `${i}`);
    expect(askUser.input.safeParse({ question: 'Which?', choices }).success).toBe(false);
    expect(askUser.input.safeParse({ question: '' }).success).toBe(false);
  });

  test('the question and the answer stay readable, whatever the length of the question', async () => {
    expect(askUser.title({ question: ' Which\n one? ' }, (path) => path)).toBe('AskUser Which one?');
    for (const question of ['x'.repeat(61), 'Two lines.\nWhich?']) {
      const { result } = await asking({ question }, 'red');
      expect(result.display).toEqual({ kind: 'text', text: `${question}\n\nred` });
    }
  });

  test('needs no access', () => {
    expect(askUser.access({ question: 'Which?', choices: [] })).toEqual([]);
  });

  test('the question can be cancelled', async () => {
    const { context } = await bench();
    const stop = new AbortController();
    const ask = (_: UserQuestion, signal: AbortSignal) =>
      new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
    const answer = use(askUser, { question: 'Which?' }, { ...context, ask, signal: stop.signal });
    stop.abort();
    expect(await answer).toMatchObject({ success: false });
  });
});
