import { expect, test } from 'vitest';
import { TerminalModes } from './terminal-modes.ts';

function modes(title = 'aca') {
  let all = '';
  const made = new TerminalModes((text) => {
    all += text;
  }, title);
  return { made, written: () => all };
}

test('every enabled mode is disabled again, and the title is restored', () => {
  const { made, written } = modes();
  made.enter();
  made.keyboardKnown();
  made.leave();

  const on = ['[?2004h', '[?1004h', '[22;0t', '[>1u'];
  const off = ['[<u', '[?2004l', '[?1004l', '[23;0t', '[?25h'];
  const at = [...on, ...off].map((code) => written().indexOf(`\u001b${code}`));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
});

test('leaving twice, or without having entered, writes nothing more', () => {
  const { made, written } = modes();
  made.leave();
  expect(written()).toBe('');
  made.enter();
  made.leave();
  const once = written();
  made.leave();
  made.keyboardKnown();
  expect(written()).toBe(once);
});

test('another title is shown at once, once, and again after the terminal was lent', () => {
  const { made, written } = modes('aca');
  made.setTitle('too early');
  expect(written()).toBe('');
  made.enter();
  made.setTitle('fix\u0007 it\n\u001b[2J');
  made.setTitle('fix\u0007 it\n\u001b[2J');
  made.leave();
  made.setTitle('while lent');
  made.enter();

  const [, ...titles] = written()
    .split(']2;')
    .map((text) => text.split('\u0007')[0]);
  expect(titles).toEqual(['too early', 'fix␇ it ⏎ ␛[2J', 'while lent']);
});

test('a folder with an escape character in its name cannot end the title', () => {
  const { made, written } = modes('x\u0007\u001b[2Jy');
  made.enter();

  expect(written()).toContain('\u001b]2;x␇␛[2Jy\u0007');
});
