import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notificationText } from './notification.ts';

const note = { title: 'aca', message: 'Waiting for your approval' };
const auto = { bell: true, desktop: 'auto' } as const;

test.each([
  ['xterm-256color', {}, '\u001b]9;aca: Waiting for your approval\u0007\u0007'],
  ['foot', {}, '\u001b]777;notify;aca;Waiting for your approval\u0007\u0007'],
  ['xterm-256color', { VTE_VERSION: '7600' }, '\u001b]777;notify;aca;Waiting for your approval\u0007\u0007'],
  ['linux', {}, '\u0007'],
  [
    'tmux-256color',
    { TMUX: '/tmp/x,1,0' },
    '\u001bPtmux;\u001b\u001b]9;aca: Waiting for your approval\u0007\u001b\\\u0007',
  ],
  ['screen', { STY: '1.x' }, '\u001bP\u001b]9;aca: Waiting for your approval\u0007\u001b\\\u0007'],
])('in %s with %j', (TERM, env, expected) => {
  expect(notificationText(note, auto, { TERM, ...env })).toBe(expected);
});

test('settings choose the kind, or nothing', () => {
  const env = { TERM: 'xterm' };
  expect(notificationText(note, { bell: false, desktop: 'osc777' }, env)).toBe(
    '\u001b]777;notify;aca;Waiting for your approval\u0007',
  );
  expect(notificationText(note, { bell: true, desktop: 'off' }, env)).toBe('\u0007');
  expect(notificationText(note, { bell: false, desktop: 'off' }, env)).toBe('');
});

test('property: a message cannot end its sequence', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (title, message) => {
      const text = notificationText({ title, message }, { bell: false, desktop: 'osc9' }, { TERM: 'xterm' });
      expect(text.slice(2, -1)).not.toMatch(/\p{Cc}/u);
    }),
  );
});
