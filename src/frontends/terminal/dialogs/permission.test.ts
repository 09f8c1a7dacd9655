import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf, keys, typedKeys } from '../../../../test/support/keys.ts';
import type { Key } from '../view/types.ts';
import { choicesOf, openPermission, type PermissionOutcome, pressPermission } from './permission.ts';

const lasting = { grants: ['Bash(npm test *)'] };
const extent = { total: 40, page: 10 };

type Asked = { grants?: string[]; shown?: 'all' | 'part' };

/** The result of keys pressed a second apart, after the question was read. */
function press(pressed: readonly Key[], { shown = 'all', ...request }: Asked = lasting) {
  let state = openPermission(0);
  let now = 1000;
  for (const key of pressed) {
    const step = pressPermission(state, { key, now, extent, choices: choicesOf(request), shown });
    if (step.type === 'done') return step.outcome;
    state = step.state;
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
  ])('%s', (key, outcome) => {
    expect(press(typedKeys(key))).toEqual(outcome);
  });

  test('r asks for a reason, which is sent to the model', () => {
    expect(press([...typedKeys('r'), ...typedKeys('use yarn'), keys.return])).toEqual(
      answer('no', 'use yarn'),
    );
    expect(press([...typedKeys('r'), keys.return])).toEqual(answer('no'));
  });

  test('Esc cancels the reason first, and then stops the run', () => {
    expect(press([...typedKeys('rx'), keys.escape])).toMatchObject({ reason: null });
    expect(press([...typedKeys('rx'), keys.escape, keys.escape])).toEqual({ type: 'interrupt' });
    expect(press([...typedKeys('rx'), keyOf('c', { ctrl: true })])).toEqual({ type: 'interrupt' });
  });

  test('if nothing can be remembered, only a one-time approval is offered', () => {
    expect(choicesOf({}).map(({ key }) => key)).toEqual(['y', 'n', 'r']);
    expect(press(typedKeys('sa'), {})).toMatchObject({ selected: null, reason: null });
  });
});

describe('nothing answers by accident', () => {
  test('Enter approves nothing before a choice was selected with Tab', () => {
    expect(press([keys.return])).toMatchObject({ selected: null });
    expect(press([keys.tab, keys.return])).toEqual(answer('once'));
    expect(press([keys.tab, keys.tab, keys.return])).toEqual(answer('session'));
    expect(press([keyOf('tab', { shift: true }), keys.left, keys.return])).toEqual(answer('no'));
  });

  test('pastes and keys with Ctrl or Alt do not answer', () => {
    expect(press([{ type: 'paste', text: 'y' }])).toMatchObject({ selected: null });
    expect(press([keyOf('y', { ctrl: true }), keyOf('y', { alt: true })])).toMatchObject({ selected: null });
  });

  test('whatever is typed in the first 300 ms is early, except Ctrl-C', () => {
    const names = fc.constantFrom('y', 's', 'a', 'n', 'r', 'return', 'tab', 'escape', 'space');
    const typed = fc.array(fc.record({ name: names, now: fc.integer({ min: 0, max: 299 }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(typed, (presses) => {
        let state = openPermission(0);
        for (const { name, now } of presses.toSorted((a, b) => a.now - b.now)) {
          const step = pressPermission(state, {
            key: keyOf(name),
            now,
            extent,
            choices: choicesOf(lasting),
            shown: 'all',
          });
          expect(step.type).toBe('early');
          if (step.type === 'early') state = step.state;
        }
      }),
    );
  });
});

test('arrow and page keys scroll the request, within its bounds', () => {
  expect(press([keys.down, keys.down, keys.up])).toMatchObject({ top: 1 });
  expect(press([keys.space])).toMatchObject({ top: 9 });
  expect(press([keys.end, keys.down])).toMatchObject({ top: 30 });
  expect(press([keys.end, keys.home])).toMatchObject({ top: 0 });
});

describe('an approval before the end was visible', () => {
  test.each([
    ['y', typedKeys('y')],
    ['s', typedKeys('s')],
    ['a', typedKeys('a')],
    ['Enter on yes', [keys.tab, keys.return]],
    ['Enter on always', [keys.tab, keys.tab, keys.tab, keys.return]],
  ])('does not count: %s', (_, pressed) => {
    expect(press(pressed, { ...lasting, shown: 'part' })).toMatchObject({ hasty: true });
  });

  test('a refusal counts, and so does a reason', () => {
    expect(press(typedKeys('n'), { ...lasting, shown: 'part' })).toEqual(answer('no'));
    expect(press([...typedKeys('rx'), keys.return], { ...lasting, shown: 'part' })).toEqual(
      answer('no', 'x'),
    );
  });

  test('scrolling removes the hint', () => {
    expect(press([...typedKeys('y'), keys.end], { ...lasting, shown: 'part' })).toMatchObject({
      hasty: false,
      top: 30,
    });
  });
});
