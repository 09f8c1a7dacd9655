import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { failedAnswer } from './history.ts';

const answer = (id: string) => failedAnswer({ id, name: 'Bash' }, id, '');

test('[N10] [H04] the last 500 answers are kept, including those of a resumed session', () => {
  const answers = new Answers([answer('first'), answer('second')]);
  expect(answers.get('first')).toEqual(answer('first'));
  for (let n = 0; n < 499; n++) answers.add(answer(`new ${n}`));
  expect(answers.get('first')).toBe(undefined);
  expect(answers.get('second')).toEqual(answer('second'));
  expect(answers.get('new 498')).toEqual(answer('new 498'));
});
