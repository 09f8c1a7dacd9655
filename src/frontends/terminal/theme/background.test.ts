import { expect, test } from 'vitest';
import { groundOfEnv, groundOfReply, queryBackground, type ReplyLine } from './background.ts';

/** A terminal that sends these replies immediately, or none. */
function terminal(...replies: string[]): ReplyLine & { written: string; listening: number } {
  let listener: ((reply: string) => void) | null = null;
  const line = {
    written: '',
    listening: 0,
    write(text: string) {
      line.written += text;
      queueMicrotask(() => {
        for (const reply of replies) listener?.(reply);
      });
    },
    onReply(heard: (reply: string) => void) {
      listener = heard;
      line.listening++;
      return () => {
        listener = null;
        line.listening--;
      };
    },
  };
  return line;
}

test('the reported background is used', async () => {
  const line = terminal('\u001b]11;rgb:ffff/ffff/f0f0\u001b\\', '\u001b[?62;c');
  expect(await queryBackground(line)).toBe('light');
  expect([line.written, line.listening]).toEqual(['\u001b]11;?\u001b\\\u001b[c', 0]);
});

test('a terminal that reports only its attributes has no background, and is not waited for', async () => {
  expect(await queryBackground(terminal('\u001b[?1;2c'), 3_600_000)).toBeNull();
});

test('a silent terminal is not waited for', async () => {
  const line = terminal();
  expect(await queryBackground(line, 20)).toBeNull();
  expect(line.listening).toBe(0);
});

test.each([
  ['\u001b]11;rgb:1e1e/1e1e/2e2e\u0007', 'dark'],
  ['\u001b]11;rgb:ff/ff/ff\u0007', 'light'],
  ['\u001b]11;rgba:0000/0000/0000/ffff\u0007', 'dark'],
  ['\u001b]10;rgb:ffff/ffff/ffff\u0007', null],
])('%j means %s', (reply, ground) => {
  expect(groundOfReply(reply)).toBe(ground);
});

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;7', 'light'],
  ['12;8', 'dark'],
  ['x', null],
  [undefined, null],
])('COLORFGBG=%s means %s', (COLORFGBG, ground) => {
  expect(groundOfEnv({ COLORFGBG })).toBe(ground);
});
