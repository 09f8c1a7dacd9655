import { describe, expect, test } from 'vitest';
import { StuckError } from '../../contract/errors.ts';
import type { Message } from '../../contract/message.ts';
import { watchRepetition } from './stuck.ts';

const timestamp = '2026-01-01T00:00:00Z';
const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'go' }], timestamp };
let ids = 0;

/** One reply with one call, and its answer. */
function turn(
  name: string,
  input: unknown,
  answer: { text: string; unreadable?: true; fault?: string; running?: true; cut?: true },
): Message[] {
  const id = `c${ids++}`;
  const { text, ...metadata } = answer;
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_call', id, name, input }],
      provider: 'p',
      model: 'm',
      stopReason: 'tool_calls',
      timestamp,
    },
    {
      role: 'tool',
      callId: id,
      name,
      success: true,
      content: [{ type: 'text', text }],
      metadata,
      timestamp,
    },
  ];
}

const read = (text = 'alpha') => turn('Read', { file_path: 'a.txt' }, { text });

function outcome(...turns: Message[][]): string | null {
  try {
    watchRepetition([prompt, ...turns.flat()], { alike: 3 });
    return null;
  } catch (error) {
    if (error instanceof StuckError) return error.message;
    throw error;
  }
}

describe('a model that repeats itself', () => {
  test('is stopped when the same call got the same answer three times', () => {
    expect(outcome(read(), read())).toBeNull();
    expect(outcome(read(), read(), read())).toBe(
      'The model repeated the same call 3 times with the same result: Read {"file_path":"a.txt"}',
    );
  });

  test('continues when the answer changes, another call comes between, or the user sends a prompt', () => {
    expect(outcome(read(), read(), read('beta'))).toBeNull();
    expect(outcome(read(), read(), turn('List', {}, { text: 'a.txt' }), read())).toBeNull();
    expect(outcome(read(), read(), [prompt], read())).toBeNull();
  });

  test('may poll a command that is still running', () => {
    const wait = () => turn('BashOutput', { id: 'b1' }, { text: 'b1 is running.', running: true });
    expect(outcome(wait(), wait(), wait(), wait())).toBeNull();
  });

  test('is stopped after the same fault of the same tool five times, or eight faults in a row', () => {
    const wrong = (fault: string) =>
      turn('Read', {}, { text: `The arguments\nof ${fault}`, unreadable: true, fault });
    const many = (count: number, fault: (i: number) => string) =>
      outcome(...Array.from({ length: count }, (_, i) => wrong(fault(i))));
    expect(many(4, () => 'Read: limit')).toBeNull();
    expect(many(5, () => 'Read: limit')).toBe('The model made 5 invalid tool calls in a row. The arguments');
    expect(many(7, (i) => `Tool${i}: name`)).toBeNull();
    expect(many(8, (i) => `Tool${i}: name`)).toBe(
      'The model made 8 invalid tool calls in a row. The arguments',
    );
    expect(outcome(...[1, 2, 3, 4].map(() => wrong('Read: limit')), read(), wrong('Read: limit'))).toBeNull();
  });

  test('a call too long for one answer is not requested forever', () => {
    const cut = (text: string) => turn('Write', {}, { text, cut: true });
    expect(() => watchRepetition([prompt, ...cut('a'), ...cut('b')], { alike: 10 })).not.toThrow();
    expect(() =>
      watchRepetition([prompt, ...cut('a'), ...read(), ...cut('b'), ...cut('c')], { alike: 10 }),
    ).not.toThrow();
    expect(() => watchRepetition([prompt, ...cut('a'), ...cut('b'), ...cut('c')], { alike: 10 })).toThrow(
      'The model hit its output limit in the middle of a tool call 3 times in a row.',
    );
  });
});

const failed = (name: string, input: unknown, text: string) =>
  turn(name, input, { text }).map((message) => ({
    ...message,
    ...(message.role === 'tool' && { success: false }),
  }));

/** After which turn of an endless loop the model is told, and the run stops. */
function watched(loop: (i: number) => Message[], alike = 10, most = 60) {
  const history: Message[] = [prompt];
  const told: number[] = [];
  for (let i = 0; i < most; i++) {
    history.push(...(loop(i) as Message[]));
    try {
      const limits = { alike, isReading: (name: string) => name !== 'Edit' && name !== 'Bash' };
      const note = watchRepetition(history, limits);
      if (note) {
        told.push(i + 1);
        history.push(note);
      }
    } catch (error) {
      if (!(error instanceof StuckError)) throw error;
      return { told, stopped: i + 1, message: error.message };
    }
  }
  return { told, stopped: null, message: '' };
}

describe('a loop that gets nowhere: the model is told first, then the run stops', () => {
  const edit = (i: number) => failed('Edit', { file_path: `f${i}` }, 'Refused: it needs approval.');
  const list = () => turn('List', {}, { text: 'a.txt' });
  test.each([
    ['refused edits', edit, 5, 12],
    [
      'files that are missing',
      (i: number) => failed('Read', { file_path: `${i}` }, `${i} does not exist.`),
      5,
      12,
    ],
    ['the same call', () => read(), 5, 10],
    ['two calls in turn', (i: number) => (i % 2 ? read() : list()), 4, 10],
    ['three calls in turn', (i: number) => [read(), list(), read('x')][i % 3] ?? [], 6, 15],
    [
      'four calls in turn',
      (i: number) => [read(), list(), read('x'), turn('Glob', {}, { text: 'b' })][i % 4] ?? [],
      8,
      20,
    ],
    [
      'a search with other words',
      (i: number) => turn('Grep', { pattern: `p${i}` }, { text: 'No matches.' }),
      6,
      12,
    ],
    [
      'a call between others that read',
      (i: number) => (i % 2 ? read() : turn('Read', { file_path: `f${i}` }, { text: `${i}` })),
      12,
      20,
    ],
  ])('%s', (_, loop, tells, stops) => {
    const { told, stopped } = watched(loop);
    expect({ first: told[0], stopped }).toEqual({ first: tells, stopped: stops });
  });

  test('the note says what repeats, and the error also', () => {
    const history = [prompt, ...[1, 2, 3, 4, 5].flatMap(edit)];
    expect(watchRepetition(history, { alike: 10 })?.content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(
          /^\n\n\[You are repeating yourself: you made 5 steps in a row whose calls all failed or were refused\. The last: Edit \{"file_path":"f5"\}: Refused: it needs approval\..* try something else/,
        ),
      },
    ]);
    expect(watched(edit).message).toMatch(
      /^The model made 12 steps in a row whose calls all failed or were refused/,
    );
  });
});

describe('honest work is never stopped', () => {
  const test_ = (text: string) => failed('Bash', { command: 'npm test' }, text);
  test.each([
    [
      'many files, one after the other',
      (i: number) => turn('Read', { file_path: `${i}` }, { text: `text ${i}` }),
    ],
    [
      'a test that fails the same way between edits',
      (i: number) =>
        i % 2 ? test_('1 failed') : turn('Edit', { file_path: 'a', old_string: `${i}` }, { text: 'ok' }),
    ],
    ['a command that is polled', () => turn('BashOutput', { id: 'b' }, { text: 'running', running: true })],
    [
      'edits with the same answer',
      (i: number) => [read(`${i}`), turn('Edit', { n: i }, { text: 'Done.' })][i % 2] ?? [],
    ],
    ['edits in a row with the same answer', (i: number) => turn('Edit', { n: i }, { text: 'Done.' })],
    ['commands without output', (i: number) => turn('Bash', { command: `mkdir ${i}` }, { text: '' })],
    ['four failures, then a success', (i: number) => (i % 5 === 4 ? read(`${i}`) : test_(`failed ${i}`))],
  ])('%s', (_, loop) => {
    expect(watched(loop, 10, 200)).toMatchObject({ stopped: null });
  });
});
