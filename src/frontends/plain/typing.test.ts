import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause, sentences } from '../../../test/support/human-typing.ts';
import { sweep } from '../../../test/support/soak.ts';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import type { Terminal } from '../shared/terminal.ts';
import { askOnTerminal } from './ask.ts';
import { Conversation } from './line-terminal.ts';

const request: PermissionRequest = {
  callId: '1',
  tool: 'Bash',
  operation: 'Bash make',
  accesses: [{ kind: 'execute', target: 'make' }],
  because: 'make runs programs of the project',
  grants: ['Bash(make)'],
  acceptEdits: true,
  trust: true,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run on a terminal in virtual time: questions come one at a time, and what was typed is read afterwards. */
function typing() {
  const stdin: PassThrough = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const stdout = Object.assign(new PassThrough().resume(), { columns: 80 });
  const talk = new Conversation({ env: { TERM: 'dumb' }, stdin, stdout } as unknown as Terminal);
  const approve = askOnTerminal(talk);
  const stop = new AbortController();
  const answers: Answer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return {
    answers,
    wait,
    ask() {
      last = last.then(() => approve(request, stop.signal)).then((answer) => answers.push(answer));
    },
    async type(text: string) {
      stdin.write(text);
      await wait(1);
    },
    /** Ends the run, and reads the prompts that were typed meanwhile. */
    async end() {
      stop.abort();
      await last;
      const prompts: string[] = [];
      stdin.write('END\r');
      for (let prompt = await talk.prompt(); prompt !== 'END'; prompt = await talk.prompt())
        prompts.push(prompt ?? '');
      talk.close();
      return prompts;
    },
  };
}

/** A refusal may have a reason: it reaches the model without the no before it. */
const withoutNo = (line: string) => line.replace(/^no?[\s,:]+/i, '');
const reasonsIn = (answers: readonly Answer[]) =>
  answers.flatMap((answer) => (answer.choice === 'no' && answer.reason ? [answer.reason] : []));
const grantsIn = (answers: readonly Answer[]) => answers.filter(({ choice }) => choice !== 'no');

describe('in plain lines, typing never answers', () => {
  sweep([150, 1_500])('%i runs with questions at any moment', async (numRuns) => {
    const typed = fc.array(sentences, { minLength: 1, maxLength: 4 });
    const asked = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(typed, asked, pause, async (lines, moments, enterMs) => {
        vi.useFakeTimers();
        const { ask, type, wait, answers, end } = typing();
        await wait(100);
        for (const after of moments) setTimeout(ask, after);
        for (const { keys } of lines) {
          for (const { afterMs, text } of [...keys, { afterMs: enterMs, text: '\r' }]) {
            await wait(afterMs);
            await type(text);
          }
        }
        await wait(30_000);
        const prompts = await end();
        expect(grantsIn(answers)).toEqual([]);
        const received = [...prompts.map(withoutNo), ...reasonsIn(answers)].toSorted();
        expect(received).toEqual(lines.map(({ sentence }) => withoutNo(sentence)).toSorted());
      }),
      { numRuns },
    );
  });

  sweep([100, 1_000])('%i pastes of several lines, in pieces, over open questions', async (numRuns) => {
    const word = fc.constantFrom(
      'y',
      'Y',
      'session',
      'always',
      'trust',
      'sandbox',
      'please',
      'yes do it',
      '1',
    );
    const pasted = fc.array(word, { minLength: 2, maxLength: 6 }).map((list) => ['a b', ...list, 'z z']);
    const pieces = fc.record({ size: fc.integer({ min: 1, max: 12 }), ms: fc.integer({ min: 0, max: 300 }) });
    await fc.assert(
      fc.asyncProperty(pasted, pieces, fc.nat(3_000), async (lines, { size, ms }, after) => {
        vi.useFakeTimers();
        const { ask, type, wait, answers, end } = typing();
        await wait(100);
        setTimeout(ask, after);
        await wait(1_500);
        const text = `${lines.join('\r')}\r`;
        for (let at = 0; at < text.length; at += size) {
          await type(text.slice(at, at + size));
          await wait(ms);
        }
        await wait(30_000);
        const prompts = await end();
        expect(grantsIn(answers)).toEqual([]);
        expect(prompts).toEqual(lines);
      }),
      { numRuns },
    );
  });

  test.each<[string, Answer['choice']]>([
    ['y', 'once'],
    ['always', 'always'],
    ['trust', 'trust'],
    ['n', 'no'],
  ])('a word answers: %s', async (word, choice) => {
    const { ask, type, wait, answers, end } = typing();
    await type('also the tests\r');
    ask();
    await wait(1_500);
    await type(`${word}\r`);
    await wait(10);
    expect(answers).toMatchObject([{ choice }]);
    expect(await end()).toEqual(['also the tests']);
  });
});
