import { expect, test } from 'vitest';
import { type CursorPlace, CursorReplies } from './cursor-replies.ts';

test('replies go to their listeners in order; an unexpected one is ignored', () => {
  const replies = new CursorReplies(() => undefined);
  const heard: [string, CursorPlace][] = [];

  replies.take('\u001b[9;9R');
  expect(replies.ask((place) => heard.push(['first', place]))).toBe('\u001b[6n');
  replies.ask((place) => heard.push(['second', place]));
  replies.take('\u001b[?62;22c');
  replies.take('\u001b[3;80R');
  replies.take('\u001b[4;1R');
  replies.take('\u001b[5;5R');

  expect(heard).toEqual([
    ['first', { row: 3, column: 80 }],
    ['second', { row: 4, column: 1 }],
  ]);
  expect(replies.awaiting).toBe(false);
});

test('a terminal that does not answer is reported once, and queried again when it has answered everything', async () => {
  const heard: number[] = [];
  let tell: () => void = () => undefined;
  const silence = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const replies = new CursorReplies(() => tell(), 1);
  const listen = ({ column }: CursorPlace) => void heard.push(column);

  replies.ask(listen);
  replies.ask(listen);
  await silence;
  expect([replies.silent, replies.awaiting]).toEqual([true, false]);

  replies.take('\u001b[1;80R');
  expect(replies.silent).toBe(true);
  replies.take('\u001b[1;80R');
  expect(replies.silent).toBe(false);
  replies.ask(listen);
  replies.take('\u001b[1;40R');
  expect(heard).toEqual([40]);
});

test('waiting for the last reply ends with it, or after a timeout', async () => {
  const replies = new CursorReplies(() => undefined);
  await replies.settled();

  replies.ask(() => undefined);
  const answered = replies.settled();
  replies.take('\u001b[1;80R');
  await answered;

  replies.ask(() => undefined);
  const given = replies.settled();
  replies.forget();
  await given;
  expect(replies.silent).toBe(true);
});
