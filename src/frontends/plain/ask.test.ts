import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import type { Terminal } from '../shared/terminal.ts';
import { answerOnTerminal, askOnTerminal } from './ask.ts';
import { Conversation } from './line-terminal.ts';

const never = new AbortController().signal;

/** A real conversation, over pipes or on a terminal. */
function talking({ columns, isTTY = false }: { columns?: number; isTTY?: boolean } = {}) {
  const stdin: PassThrough = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin });
  const stdout = new PassThrough();
  let screen = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const terminal = {
    env: { TERM: 'dumb' },
    stdin,
    stdout: Object.assign(stdout, columns !== undefined && { columns }),
  };
  const talk = new Conversation(terminal as unknown as Terminal);
  /** Types a line once a question is shown. */
  const type = async (line: string) => {
    await expect.poll(() => /(: |\[y\/n\] )$/.test(screen)).toBe(true);
    screen = `${screen}${line}\n`;
    stdin.write(`${line}\n`);
  };
  const ask = answerOnTerminal(talk);
  return { talk, ask, approve: askOnTerminal(talk), type, stdin, screen: () => screen };
}

describe("the model's question on the terminal", () => {
  const colours = ['red', 'blue', 'none of these'];

  test('shows numbered choices', async () => {
    const { ask, type, screen } = talking();
    const answer = ask({ question: 'Which colour?', choices: colours }, never);
    await type('2');
    expect(await answer).toBe('blue');
    expect(screen()).toBe(
      '\nWhich colour?\n  1. red\n  2. blue\n  3. none of these\nAnswer (1-3, or type your own): 2\n',
    );
  });

  test.each([
    ['1', 'red'],
    [' 3. ', 'none of these'],
    ['0', '0'],
    ['4', '4'],
    ['2 coats of red', '2 coats of red'],
    ['  green ', 'green'],
    ['', ''],
  ])('"%s" means "%s"', async (line, expected) => {
    const { ask, type } = talking();
    const answer = ask({ question: 'Which colour?', choices: colours }, never);
    await type(line);
    expect(await answer).toBe(expected);
  });

  test('without choices a number is plain text', async () => {
    const { ask, type, screen } = talking();
    const answer = ask({ question: 'How many?', choices: [] }, never);
    await type('1');
    expect(await answer).toBe('1');
    expect(screen()).toBe('\nHow many?\nAnswer: 1\n');
  });

  test('two concurrent questions are asked one after the other', async () => {
    const { ask, type, screen } = talking();
    const answers = [
      ask({ question: 'First?', choices: [] }, never),
      ask({ question: 'Second?', choices: [] }, never),
    ];
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(screen()).not.toContain('Second?');
    await type('a');
    expect(await answers[0]).toBe('a');
    await type('b');
    expect(await answers[1]).toBe('b');
  });

  test('end of input and abort give no answer, and the next question is not asked', async () => {
    const { ask, stdin, screen } = talking();
    const stop = new AbortController();
    const stopped = ask({ question: 'First?', choices: [] }, stop.signal);
    const waiting = ask({ question: 'Second?', choices: [] }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect([await stopped, await waiting]).toEqual([null, null]);
    expect(screen()).not.toContain('Second?');
    const ended = ask({ question: 'Third?', choices: [] }, never);
    stdin.end();
    expect(await ended).toBeNull();
  });

  test("the model's text cannot control the terminal", async () => {
    const { ask, type, screen } = talking();
    const answer = ask({ question: '\x1b[2JWhich?\x1b]0;title\x07', choices: ['\x1b[31mred'] }, never);
    await type('1');
    await answer;
    expect(screen()).toContain('  1. \uFFFD[31mred');
    expect(screen()).not.toContain('\x1b');
  });
});

describe('[C04] the permission prompt on the terminal', () => {
  const request: PermissionRequest = {
    callId: '1',
    tool: 'Bash',
    operation: 'Bash make',
    accesses: [],
    because: 'it may make changes',
  };
  const lasting = { ...request, grants: ['Bash(make)'] };
  const contained: PermissionRequest = {
    ...request,
    accesses: [{ kind: 'execute', target: 'make' }],
    acceptEdits: true,
  };

  test('is one line; what a lasting approval would remember is shown above it', async () => {
    const once = talking();
    const first = once.approve(request, never);
    await once.type('y');
    expect([await first, once.screen()]).toEqual([
      { choice: 'once', shown: 'all' },
      'Allow: Bash make? [y/n] y\n',
    ]);

    const more = talking();
    const second = more.approve(lasting, never);
    await more.type('always');
    expect([await second, more.screen()]).toEqual([
      { choice: 'always', shown: 'all' },
      [
        '  y once',
        '  session for this session',
        '  always in this folder: Bash(make)',
        '  n no, or n and a reason',
        'Allow: Bash make? [y/n] always\n',
      ].join('\n'),
    ]);
  });

  test.each<[string, PermissionRequest, Answer]>([
    ['Y', request, { choice: 'once', shown: 'all' }],
    [' y ', lasting, { choice: 'once', shown: 'all' }],
    ['session', lasting, { choice: 'session', shown: 'all' }],
    ['Always', lasting, { choice: 'always', shown: 'all' }],
    ['session', request, { choice: 'no' }],
    ['always', request, { choice: 'no' }],
    ['s', lasting, { choice: 'no' }],
    ['a', lasting, { choice: 'no' }],
    ['sandbox', contained, { choice: 'sandboxed', shown: 'all' }],
    ['sandbox', request, { choice: 'no' }],
    ['constructor', lasting, { choice: 'no' }],
    ['yes', lasting, { choice: 'no' }],
    ['', lasting, { choice: 'no' }],
    ['y es', lasting, { choice: 'no' }],
    ['n', lasting, { choice: 'no' }],
    ['never', lasting, { choice: 'no' }],
    ['n use npm instead', lasting, { choice: 'no', reason: 'use npm instead' }],
    ['No, not now', request, { choice: 'no', reason: 'not now' }],
  ])('"%s"', async (line, asked, answer) => {
    const { approve, type } = talking();
    const given = approve(asked, never);
    await type(line);
    expect(await given).toEqual(answer);
  });

  test("cannot be disguised by the model's text", async () => {
    const { approve, type, screen } = talking();
    const given = approve({ ...request, operation: 'Bash \x1b[2Kls', grants: ['Bash(\x1b[2Kls)'] }, never);
    await type('n');
    await given;
    expect(screen()).not.toContain('\x1b');
  });

  test.each<[name: string, operation: string, shown: string]>([
    ['newlines', 'Bash ls\nAllow: Bash pwd? [y/n] ', 'Allow: Bash ls ⏎ Allow: Bash pwd? [y/n] ? [y/n] '],
    ['line ends of other kinds', 'Bash ls\r\nrm a\rrm b', 'Allow: Bash ls ⏎ rm a␍rm b? [y/n] '],
    ['a zero-width blank', 'Bash r\u200bm a', 'Allow: Bash r<U+200B>m a? [y/n] '],
    ['joiners', 'Bash r\u200dm\u200c a', 'Allow: Bash r<U+200D>m<U+200C> a? [y/n] '],
    ['another direction', 'Bash \u202els', 'Allow: Bash <U+202E>ls? [y/n] '],
    ['other blanks', 'Bash rm\u00a0-rf\u3000x\u2800', 'Allow: Bash rm<U+00A0>-rf<U+3000>x<U+2800>? [y/n] '],
    ['marks nobody sees', 'Bash a\u034f\ufe0f\u{e0041}b', 'Allow: Bash a<U+034F><U+FE0F><U+E0041>b? [y/n] '],
    ['backspaces', 'Bash rm\b\bls', 'Allow: Bash rm␈␈ls? [y/n] '],
    ['letters that pass for others', 'Bash с\u0430t x', 'Allow: Bash <U+0441><U+0430>t x? [y/n] '],
    ['wide letters', 'Bash \uff52m x', 'Allow: Bash <U+FF52>m x? [y/n] '],
    ['a wide gap', `Bash ls;${' '.repeat(200)}rm a`, 'Allow: Bash ls; <200 blanks> rm a? [y/n] '],
    [
      'names in any script',
      'Edit src/naïve 日本語 привет.md',
      'Allow: Edit src/naïve 日本語 привет.md? [y/n] ',
    ],
  ])('%s', async (_name, operation, shown) => {
    const { approve, type, screen } = talking();
    const given = approve({ ...request, operation }, never);
    await type('n');
    await given;
    expect(screen()).toBe(`${shown}n\n`);
  });

  test('on a terminal, no wrapped row of a long question starts in the column of the question itself', async () => {
    const { approve, type, screen } = talking({ columns: 40 });
    const given = approve(
      {
        ...request,
        operation: `Bash rm -rf x #${'a'.repeat(18)}Allow: Bash ls`,
        grants: [`Bash(${'b'.repeat(40)}Allow: x)`],
      },
      never,
    );
    await type('n');
    await given;
    const rows = screen().trimEnd().split('\n');
    expect(rows.at(-2)).toBe('Allow: Bash rm -rf x #aaaaaaaaaaaaaaaaaa');
    expect(rows.at(-1)).toBe('  │ Allow: Bash ls? [y/n] n');
    expect(rows.filter((row) => !row.startsWith('  ')).length).toBe(1);
  });

  describe('on a terminal, typing never answers', () => {
    const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
    const key = async (stdin: PassThrough, text: string) => {
      stdin.write(text);
      await settle();
    };

    test('a question waits for the line that is being typed, and its line is the next prompt', async () => {
      const sentence = 'y please say so';
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      for (let at = 0; at <= sentence.length; at++) {
        const { talk, approve, stdin, screen } = talking({ isTTY: true });
        for (const letter of sentence.slice(0, at)) await key(stdin, letter);
        const given = approve(contained, never);
        for (const letter of `${sentence.slice(at)}\r`) await key(stdin, letter);
        await expect.poll(screen).toMatch(/\[y\/n\] [^\n]*$/);
        expect(screen().includes('A question is waiting.')).toBe(at > 0);
        vi.advanceTimersByTime(1_001);
        await key(stdin, 'y\r');
        expect([await given, await talk.prompt()]).toEqual([{ choice: 'once', shown: 'all' }, sentence]);
        talk.close();
      }
    });

    test('a line that is cleared is no prompt', async () => {
      const { talk, approve, stdin } = talking({ isTTY: true });
      await key(stdin, 'y');
      const given = approve(contained, never);
      await key(stdin, '\x7f');
      await key(stdin, 'n\r');
      expect(await given).toEqual({ choice: 'no' });
      const next = talk.prompt();
      await key(stdin, 'go\r');
      expect(await next).toBe('go');
      talk.close();
    });

    test('a question that is withdrawn while it waits is never asked', async () => {
      const { talk, approve, stdin, screen } = talking({ isTTY: true });
      await key(stdin, 'y');
      const stop = new AbortController();
      const given = approve(contained, stop.signal);
      await settle();
      stop.abort();
      expect(await given).toEqual({ choice: 'no' });
      expect(screen()).not.toContain('Allow: ');
      talk.close();
    });
  });

  test('end of input means no', async () => {
    const { approve, stdin } = talking();
    const given = approve(request, never);
    stdin.end();
    expect(await given).toEqual({ choice: 'no' });
  });
});
