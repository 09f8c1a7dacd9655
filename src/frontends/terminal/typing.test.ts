import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause, sentences } from '../../../test/support/human-typing.ts';
import { screenOn } from '../../../test/support/screen-on.ts';
import { sweep } from '../../../test/support/soak.ts';
import type { PermissionRequest } from '../../contract/permission.ts';
import { planDialog } from './components/plan-dialog.ts';
import { PAUSE_MS, UNREAD_MS } from './question-gate.ts';
import type { Screen } from './screen.ts';

const never = new AbortController().signal;

const command: PermissionRequest = {
  callId: 'c',
  tool: 'Bash',
  operation: 'Bash make',
  accesses: [{ kind: 'execute', target: 'make' }],
  because: 'make runs programs of the project',
  grants: ['Bash(make)'],
  acceptEdits: true,
  sandbox: { kind: 'bubblewrap', level: 'standard', network: 'none' },
};
const outside: PermissionRequest = {
  ...command,
  accesses: [{ kind: 'execute', target: 'make', unconfined: true }],
  sandbox: { kind: 'host', level: 'permissive', network: 'open' },
};
const edit: PermissionRequest = {
  ...command,
  tool: 'Edit',
  operation: 'Edit a.txt',
  accesses: [{ kind: 'write', target: 'a.txt' }],
  grants: ['Edit(a.txt)'],
};

/** The questions that open by themselves. */
const questions: Record<string, (screen: Screen) => Promise<unknown>> = {
  command: (screen) => screen.approver(command, never),
  outside: (screen) => screen.approver(outside, never),
  edit: (screen) => screen.approver(edit, never),
  confirm: (screen) => screen.confirm('Trust this folder?'),
  plan: (screen) => screen.dialogs.ask(planDialog()),
};

/** A screen in virtual time, with what was sent and answered. */
function typing() {
  const stdin = new PassThrough();
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const screen = screenOn({ stdin, stdout, size: { columns: 80, rows: 24 } });
  screen.open();
  const sent: string[] = [];
  const answers: unknown[] = [];
  void (async () => {
    for (let prompt = await screen.next(); prompt; prompt = await screen.next()) sent.push(prompt.text);
  })();
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return {
    screen,
    sent,
    answers,
    wait,
    ask: (name: string) => void questions[name]?.(screen).then((answer) => answers.push(answer)),
    async type(text: string) {
      stdin.write(text);
      await wait(1);
    },
    draft: () => screen.prompt.state.editor.buffer.text,
    async close() {
      vi.useRealTimers();
      await screen.close();
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('typing never answers', () => {
  sweep([60, 600])('%i conversations with questions at any moment', async (numRuns) => {
    const typed = fc.array(sentences, { minLength: 1, maxLength: 3 });
    const asked = fc.array(
      fc.record({ name: fc.constantFrom(...Object.keys(questions)), after: fc.nat(20_000) }),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(typed, asked, pause, async (lines, dialogs, enterMs) => {
        vi.useFakeTimers();
        const { ask, type, wait, sent, answers, draft, close } = typing();
        await wait(100);
        for (const { name, after } of dialogs) setTimeout(() => ask(name), after);
        for (const { keys } of lines) {
          for (const { afterMs, text } of [...keys, { afterMs: enterMs, text: '\r' }]) {
            await wait(afterMs);
            await type(text);
          }
        }
        await wait(30_000);
        const seen = { answers: [...answers], draft: draft(), sent: [...sent] };
        await close();
        expect(seen).toEqual({ answers: [], draft: '', sent: lines.map(({ sentence }) => sentence) });
      }),
      { numRuns },
    );
  });

  sweep([40, 400])(
    'no sentence is split between the prompt and a question of the model (%i runs)',
    async (numRuns) => {
      const typed = fc.array(sentences, { minLength: 1, maxLength: 3 });
      const asked = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(typed, asked, pause, async (lines, moments, enterMs) => {
          vi.useFakeTimers();
          const { screen, type, wait, sent, answers, close } = typing();
          await wait(100);
          const question = { question: 'Which?', choices: ['red', 'blue'] };
          for (const after of moments)
            setTimeout(
              () => void screen.answer(question, never).then((answer) => answers.push(answer)),
              after,
            );
          for (const { keys } of lines) {
            for (const { afterMs, text } of [...keys, { afterMs: enterMs, text: '\r' }]) {
              await wait(afterMs);
              await type(text);
            }
          }
          await wait(30_000);
          const received = [...sent, ...answers].toSorted();
          await close();
          expect(received).toEqual(lines.map(({ sentence }) => sentence).toSorted());
        }),
        { numRuns },
      );
    },
  );

  test.each(Object.keys(questions))(
    'the sentence of a user who steers, at 300 ms a key: %s',
    async (name) => {
      const { ask, type, wait, answers, draft, close } = typing();
      await wait(100);
      ask(name);
      for (const key of 'please say so') {
        await wait(300);
        await type(key);
      }
      await wait(5_000);
      expect([draft(), answers]).toEqual(['please say so', []]);
      await close();
    },
  );
});

describe('an explicit choice answers', () => {
  const yes = { choice: 'once', shown: 'all' };

  test.each<[string, string, unknown]>([
    ['command', '\r', yes],
    ['command', 'y\r', yes],
    ['command', '\x1b[Z\r', { choice: 'sandboxed', shown: 'all' }],
    ['command', '4\r', { choice: 'always', shown: 'all' }],
    ['outside', '1\r', yes],
    ['edit', '\r', yes],
    ['confirm', 'y\r', true],
    ['plan', '2\r', { type: 'chosen', name: 'ask', text: '' }],
  ])('%s: %j', async (name, keys, answer) => {
    const { ask, type, wait, answers, close } = typing();
    await wait(100);
    ask(name);
    await wait(UNREAD_MS + 100);
    await type(keys);
    await wait(100);
    expect(answers).toEqual([answer]);
    await close();
  });

  test.each([
    [UNREAD_MS - 50, 0],
    [UNREAD_MS + 50, 1],
  ])('once the question was visible: Enter after %i ms', async (ms, count) => {
    const { ask, type, wait, answers, close } = typing();
    await wait(100);
    ask('command');
    await wait(ms);
    await type('\r');
    expect(answers).toHaveLength(count);
    await close();
  });

  test.each([
    [PAUSE_MS - 100, 0],
    [PAUSE_MS + 100, 1],
  ])('a second after the last key for the prompt: Enter after %i ms', async (ms, count) => {
    const { ask, type, wait, answers, close } = typing();
    await wait(100);
    await type('go');
    await type('\r');
    ask('command');
    await wait(ms);
    await type('\r');
    expect(answers).toHaveLength(count);
    await close();
  });

  test('with a prompt that is not finished, after Esc', async () => {
    const { ask, type, wait, answers, draft, close } = typing();
    await wait(100);
    await type('later');
    await wait(60_000);
    ask('edit');
    await wait(60_000);
    await type('\x1b');
    await wait(1_000);
    await type('1\r');
    await wait(100);
    expect([answers, draft()]).toEqual([[yes], 'later']);
    await close();
  });
});
