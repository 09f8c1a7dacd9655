import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf, keys, typedKeys } from '../../../../test/support/keys.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import type { Key } from '../view/types.ts';
import { openChoices, pressChoices } from './choices.ts';
import { answerFor, choicesOf, type PermissionOutcome } from './permission.ts';

const request: PermissionRequest = {
  callId: 'c',
  tool: 'Bash',
  operation: 'Bash npm test',
  accesses: [{ kind: 'execute', target: 'npm test' }],
  because: '',
};
const lasting = { ...request, grants: ['Bash(npm test)'] };
const contained: PermissionRequest = {
  ...lasting,
  acceptEdits: true,
  sandbox: { kind: 'bubblewrap', level: 'standard', network: 'none' },
};
const outside: PermissionRequest = {
  ...request,
  accesses: [{ kind: 'execute', target: 'npm test', unconfined: true }],
  sandbox: { kind: 'host', level: 'permissive', network: 'open' },
};
const extent = { total: 40, page: 10 };
const shiftTab = keyOf('tab', { shift: true });

/** What pressing the keys led to, and the text that was passed on to the prompt. */
function pressed(all: readonly Key[], asked: PermissionRequest = lasting, shown: 'all' | 'part' = 'all') {
  const choices = choicesOf(asked);
  let state = openChoices(choices);
  let prompt = '';
  for (const key of all) {
    const step = pressChoices(state, { key, extent, choices, shown });
    if (step.type === 'interrupt') return { result: step, prompt };
    if (step.type === 'chosen')
      return { result: { type: 'answer', answer: answerFor(step.name, step.text) }, prompt };
    if (step.type === 'typed')
      prompt += step.keys.map((one) => ('text' in one ? one.text : one.type)).join('');
    state = step.state;
  }
  return { result: null, prompt, state };
}

const press = (...args: Parameters<typeof pressed>) => pressed(...args).result;
const stateAfter = (...args: Parameters<typeof pressed>) => pressed(...args).state;

function answer(
  choice: 'once' | 'sandboxed' | 'session' | 'always' | 'no',
  reason?: string,
): PermissionOutcome {
  if (choice !== 'no') return { type: 'answer', answer: { choice, shown: 'all' } };
  return { type: 'answer', answer: reason === undefined ? { choice } : { choice, reason } };
}

describe('[C05][Y09] a choice is selected, and Enter answers', () => {
  test.each([
    ['', answer('once')],
    ['y', answer('once')],
    ['Y', answer('once')],
    ['1', answer('once')],
    ['2', answer('session')],
    ['3', answer('always')],
    ['12', answer('session')],
    ['ny', answer('once')],
  ])('"%s"', (text, outcome) => {
    expect(press(typedKeys(text))).toBeNull();
    expect(press([...typedKeys(text), keys.return])).toEqual(outcome);
  });

  test.each(['n', '4'])('%s asks what to do instead, which is sent to the model', (key) => {
    const asking = [...typedKeys(key), keys.return];
    expect(press([...asking, ...typedKeys('use yarn'), keys.return])).toEqual(answer('no', 'use yarn'));
    expect(press([...asking, keys.return])).toEqual(answer('no'));
  });

  test('Esc cancels the text first, and then stops the run', () => {
    const asking = [...typedKeys('n'), keys.return, ...typedKeys('x')];
    expect(stateAfter([...asking, keys.escape])).toMatchObject({ typing: null });
    expect(press([...asking, keys.escape, keys.escape])).toEqual({ type: 'interrupt' });
    expect(press([...asking, keyOf('c', { ctrl: true })])).toEqual({ type: 'interrupt' });
  });

  test('the arrows and Tab move the selection', () => {
    expect(press([keys.down, keys.return])).toEqual(answer('session'));
    expect(press([keys.tab, keys.tab, keys.return])).toEqual(answer('always'));
    expect(press([keys.down, keys.up, keys.return])).toEqual(answer('once'));
    expect(press([keys.down, shiftTab, keys.return])).toEqual(answer('once'));
    expect(press([keys.up, keys.return, ...typedKeys('x'), keys.return])).toEqual(answer('no', 'x'));
  });

  test('outside the sandbox nothing is selected at first, and no letter selects a yes', () => {
    const unsandboxed = { ...request, sandbox: outside.sandbox ?? { kind: 'host' } } as PermissionRequest;
    for (const asked of [outside, unsandboxed]) {
      expect(stateAfter([keys.return], asked)).toMatchObject({ refused: 'unselected' });
      expect(press([...typedKeys('y'), keys.return], asked)).toBeNull();
      expect(press([...typedKeys('1'), keys.return], asked)).toEqual(answer('once'));
      expect(press([keys.down, keys.return], asked)).toEqual(answer('once'));
    }
  });
});

describe('text that selects nothing belongs to the prompt', () => {
  test.each(['please say so', 'yes please', 'no, not that', '2 things by you', '1 more', 'x', ' y'])(
    '"%s"',
    (text) => {
      const { result, prompt, state } = pressed([keys.down, ...typedKeys(text)]);
      expect({ result, prompt: prompt + textOf(state?.picked ?? []) }).toEqual({
        result: null,
        prompt: text,
      });
    },
  );

  test('so does a paste', () => {
    expect(pressed([{ type: 'paste', text: 'y' }])).toMatchObject({ result: null, prompt: 'y' });
  });

  test('it undoes the selection', () => {
    expect(stateAfter([...typedKeys('3 x')])).toMatchObject({ selected: 0, picked: [] });
    expect(stateAfter([keys.down, ...typedKeys('x')], outside)).toMatchObject({ selected: null });
  });

  test('whatever is typed, every character is passed on or could still be', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ynsae1234 xé日') });
    fc.assert(
      fc.property(text, fc.constantFrom(lasting, contained, outside), (typed, asked) => {
        const { result, prompt, state } = pressed(typedKeys(typed), asked);
        expect(result).toBeNull();
        expect(prompt + textOf(state?.picked ?? [])).toBe(typed);
      }),
    );
  });

  function textOf(picked: readonly Key[]): string {
    return picked.map((key) => ('text' in key ? key.text : '')).join('');
  }
});

describe('the list', () => {
  const rows = (asked: Partial<PermissionRequest>) =>
    choicesOf({ ...request, ...asked }).list.map(({ words }) => words);

  test.each<[string, Partial<PermissionRequest>, string]>([
    ['a command', { parts: [], grants: ['Bash(npm install *)'] }, 'npm install *'],
    ['a long command', { parts: [], grants: [`Bash(${'x'.repeat(60)})`] }, 'this command'],
    ['a script', { parts: [], grants: ['Bash(a\nb)'] }, 'this command'],
    ['a file', { grants: ['Edit(src/a.ts)'] }, 'edits to src/a.ts'],
    ['files', { grants: ['Edit(a.ts)', 'Edit(b.ts)'] }, 'edits to a.ts, edits to b.ts'],
    ['many files', { grants: ['Edit(a)', 'Edit(b)', 'Edit(c)'] }, 'edits to these 3 files'],
    ['a folder', { grants: ['Read(/srv/logs/**)'] }, 'reading /srv/logs/**'],
    ['an address', { grants: ['WebFetch(https://a.dev)'] }, 'https://a.dev'],
    ['a deceiving name', { grants: ['Edit(a\u200b.ts)'] }, 'edits to a<U+200B>.ts'],
  ])('names what would be remembered: %s', (_, asked, what) => {
    expect(rows(asked)).toEqual([
      'Yes',
      `Yes, and don't ask again for ${what} this session`,
      `Yes, and don't ask again for ${what} in this folder`,
      'No, and tell it what to do',
    ]);
  });

  test('if nothing can be remembered, only a one-time approval is offered', () => {
    expect(rows({})).toEqual(['Yes', 'No, and tell it what to do']);
  });

  test('says what would run without asking: edits and sandboxed commands, or these commands alone', () => {
    const edit = { accesses: [{ kind: 'write' as const, target: 'a' }], acceptEdits: true as const };
    expect(rows(edit)[1]).toBe('Yes, and accept edits and sandboxed commands this session (shift+tab)');
    expect(rows(contained)[1]).toBe('Yes, and run commands in the sandbox without asking (shift+tab)');
  });

  test('Shift+Tab selects that row, and answers nothing', () => {
    expect(stateAfter([shiftTab], contained)).toMatchObject({ selected: 1 });
    expect(press([shiftTab, keys.return], contained)).toEqual(answer('sandboxed'));
  });
});

test('keys with Ctrl or Alt do nothing', () => {
  const unchanged = openChoices({});
  expect(stateAfter([keyOf('y', { ctrl: true }), keyOf('y', { alt: true })])).toEqual(unchanged);
});

test('page keys scroll the request, within its bounds', () => {
  expect(stateAfter([keyOf('pagedown')])).toMatchObject({ top: 9 });
  expect(stateAfter([keys.end, keyOf('pagedown')])).toMatchObject({ top: 30 });
  expect(stateAfter([keys.end, keyOf('pageup')])).toMatchObject({ top: 21 });
  expect(stateAfter([keys.end, keys.home])).toMatchObject({ top: 0 });
});

describe('an approval before the end was visible', () => {
  test.each([
    ['Yes', []],
    ['this session', typedKeys('2')],
    ['in this folder', [keys.tab, keys.tab]],
  ])('does not count: %s', (_, selecting) => {
    expect(stateAfter([...selecting, keys.return], lasting, 'part')).toMatchObject({ refused: 'unread' });
  });

  test('a refusal counts, and so does a reason', () => {
    const declined = [...typedKeys('n'), keys.return];
    expect(press([...declined, keys.return], lasting, 'part')).toEqual(answer('no'));
    expect(press([...declined, ...typedKeys('x'), keys.return], lasting, 'part')).toEqual(answer('no', 'x'));
  });

  test('scrolling removes the hint', () => {
    expect(stateAfter([keys.return, keys.end], lasting, 'part')).toMatchObject({ refused: null, top: 30 });
  });
});
