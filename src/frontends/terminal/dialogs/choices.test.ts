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
const extent = { total: 40, page: 10 };

/** The result of keys pressed a second apart, after the question was read. */
function press(pressed: readonly Key[], asked: PermissionRequest = lasting, shown: 'all' | 'part' = 'all') {
  let state = openChoices(0);
  let now = 2000;
  for (const key of pressed) {
    const step = pressChoices(state, { key, now, extent, choices: choicesOf(asked), shown });
    if (step.type === 'interrupt') return step;
    if (step.type === 'chosen') return { type: 'answer', answer: answerFor(step.name, step.text) };
    if (step.type !== 'other') state = step.state;
    now += 1000;
  }
  return state;
}

function answer(choice: 'once' | 'session' | 'always' | 'no', reason?: string): PermissionOutcome {
  if (choice !== 'no') return { type: 'answer', answer: { choice, shown: 'all' } };
  return { type: 'answer', answer: reason === undefined ? { choice } : { choice, reason } };
}

describe('[C05][Y09] a single key answers', () => {
  test.each([
    ['y', answer('once')],
    ['Y', answer('once')],
    ['s', answer('session')],
    ['a', answer('always')],
    ['n', answer('no')],
    ['1', answer('once')],
    ['2', answer('session')],
    ['3', answer('always')],
  ])('%s', (key, outcome) => {
    expect(press(typedKeys(key))).toEqual(outcome);
  });

  test.each(['r', '4'])('%s asks what to do instead, which is sent to the model', (key) => {
    expect(press([...typedKeys(`${key}use yarn`), keys.return])).toEqual(answer('no', 'use yarn'));
    expect(press([...typedKeys(key), keys.return])).toEqual(answer('no'));
  });

  test('Esc cancels the text first, and then stops the run', () => {
    expect(press([...typedKeys('rx'), keys.escape])).toMatchObject({ typing: null });
    expect(press([...typedKeys('rx'), keys.escape, keys.escape])).toEqual({ type: 'interrupt' });
    expect(press([...typedKeys('rx'), keyOf('c', { ctrl: true })])).toEqual({ type: 'interrupt' });
  });

  test('if nothing can be remembered, only a one-time approval is offered', () => {
    expect(choicesOf(request).map(({ key }) => key)).toEqual(['y', 'n', 'r']);
    expect(press(typedKeys('sae39'), request)).toMatchObject({ selected: 0, typing: null });
  });
});

test('Enter after text that means nothing here is not an answer: it was typed for the prompt', () => {
  const choices = choicesOf(lasting);
  const typed = pressChoices(openChoices(0), { key: keyOf('x'), now: 2000, extent, choices, shown: 'all' });
  expect(typed).toMatchObject({ type: 'early' });
  const enter = (now: number) =>
    typed.type === 'early' &&
    pressChoices(typed.state, { key: keys.return, now, extent, choices, shown: 'all' });
  expect(enter(2300)).toMatchObject({ type: 'early' });
  expect(enter(3100)).toMatchObject({ type: 'chosen', name: choices[0]?.name });
});

describe('the list', () => {
  const rows = (asked: Partial<PermissionRequest>) =>
    choicesOf({ ...request, ...asked }).flatMap(({ words, unlisted }) => (unlisted ? [] : [words]));

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

  test('offers to accept all edits, where that covers an edit', () => {
    const edit = { accesses: [{ kind: 'write' as const, target: 'a' }], acceptEdits: true as const };
    expect(rows(edit)).toEqual([
      'Yes',
      'Yes, allow all edits this session (shift+tab)',
      'No, and tell it what to do',
    ]);
    expect(rows({ acceptEdits: true })).toEqual(['Yes', 'No, and tell it what to do']);
  });

  test('starts at yes; arrows and Tab move around it', () => {
    expect(press([keys.return])).toEqual(answer('once'));
    expect(press([keys.down, keys.return])).toEqual(answer('session'));
    expect(press([keys.tab, keys.tab, keys.return])).toEqual(answer('always'));
    expect(press([keys.down, keys.up, keys.return])).toEqual(answer('once'));
    expect(press([keys.up, keys.return, ...typedKeys('x'), keys.return])).toEqual(answer('no', 'x'));
  });
});

describe('nothing answers by accident', () => {
  test('pastes and keys with Ctrl or Alt do not answer', () => {
    expect(press([{ type: 'paste', text: 'y' }])).toMatchObject({ selected: 0 });
    expect(press([keyOf('y', { ctrl: true }), keyOf('y', { alt: true })])).toMatchObject({ selected: 0 });
  });

  test('whatever is typed in the first 300 ms is early, except Ctrl-C', () => {
    const names = fc.constantFrom('y', 's', 'a', 'n', 'r', '1', 'down', 'return', 'tab', 'escape', 'space');
    const typed = fc.array(fc.record({ name: names, now: fc.integer({ min: 0, max: 299 }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(typed, (presses) => {
        let state = openChoices(0);
        for (const { name, now } of presses.toSorted((a, b) => a.now - b.now)) {
          const key = keyOf(name);
          const choices = choicesOf(lasting);
          const step = pressChoices(state, { key, now, extent, choices, shown: 'all' });
          expect(step.type).toBe('early');
          if (step.type === 'early') state = step.state;
        }
      }),
    );
  });
});

test('page keys scroll the request, within its bounds', () => {
  expect(press([keys.space])).toMatchObject({ top: 9 });
  expect(press([keys.end, keyOf('pagedown')])).toMatchObject({ top: 30 });
  expect(press([keys.end, keyOf('pageup')])).toMatchObject({ top: 21 });
  expect(press([keys.end, keys.home])).toMatchObject({ top: 0 });
});

describe('an approval before the end was visible', () => {
  test.each([
    ['y', typedKeys('y')],
    ['s', typedKeys('s')],
    ['a', typedKeys('a')],
    ['2', typedKeys('2')],
    ['Enter on yes', [keys.return]],
    ['Enter on always', [keys.tab, keys.tab, keys.return]],
  ])('does not count: %s', (_, pressed) => {
    expect(press(pressed, lasting, 'part')).toMatchObject({ hasty: true });
  });

  test('a refusal counts, and so does a reason', () => {
    expect(press(typedKeys('n'), lasting, 'part')).toEqual(answer('no'));
    expect(press([...typedKeys('rx'), keys.return], lasting, 'part')).toEqual(answer('no', 'x'));
  });

  test('scrolling removes the hint', () => {
    expect(press([...typedKeys('y'), keys.end], lasting, 'part')).toMatchObject({ hasty: false, top: 30 });
  });
});
