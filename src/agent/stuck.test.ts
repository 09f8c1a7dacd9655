import { describe, expect, test } from 'vitest';
import { StuckError } from '../contract/errors.ts';
import type { Message } from '../contract/message.ts';
import { refuseRepetition } from './stuck.ts';

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
    refuseRepetition([prompt, ...turns.flat()], { alike: 3 });
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
    expect(() => refuseRepetition([prompt, ...cut('a'), ...cut('b')], { alike: 10 })).not.toThrow();
    expect(() =>
      refuseRepetition([prompt, ...cut('a'), ...read(), ...cut('b'), ...cut('c')], { alike: 10 }),
    ).not.toThrow();
    expect(() => refuseRepetition([prompt, ...cut('a'), ...cut('b'), ...cut('c')], { alike: 10 })).toThrow(
      'The model hit its output limit in the middle of a tool call 3 times in a row.',
    );
  });
});
