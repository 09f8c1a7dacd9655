import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptQueue, type TypedPrompt } from './prompt-queue.ts';

const prompt = (text: string): TypedPrompt => ({ text, images: [] });

test('prompts are sent oldest first, and the newest can be taken back for editing', async () => {
  const shown: string[][] = [];
  const queue = new PromptQueue((waiting) => shown.push(waiting.map(({ text }) => text)));
  for (const text of ['a', 'b', 'c']) queue.add(prompt(text));

  expect(await queue.next()).toEqual(prompt('a'));
  expect(queue.takeBack()).toEqual(prompt('c'));
  expect(queue.length).toBe(1);
  expect(await queue.next()).toEqual(prompt('b'));
  expect(queue.takeBack()).toBeNull();
  expect(shown).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c'], ['b', 'c'], ['b'], []]);
});

test('a prompt that somebody waits for is never shown as waiting', async () => {
  const shown: unknown[] = [];
  const queue = new PromptQueue((waiting) => shown.push(waiting));
  const next = queue.next();
  queue.add(prompt('a'));
  expect(await next).toEqual(prompt('a'));
  expect(shown).toEqual([]);
});

test('the end of input ends the wait, and what still waits is not sent', async () => {
  const queue = new PromptQueue(() => undefined);
  const next = queue.next();
  queue.end();
  expect(await next).toBeNull();
  queue.add(prompt('late'));
  expect(await queue.next()).toBeNull();
});

test('every prompt is sent or taken back exactly once, in order', async () => {
  const step = fc.constantFrom<'add' | 'next' | 'back'>('add', 'next', 'back');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const queue = new PromptQueue(() => undefined);
      const expected: string[] = [];
      let count = 0;
      for (const one of steps) {
        if (one === 'add') {
          expected.push(`${++count}`);
          queue.add(prompt(`${count}`));
        } else if (one === 'back') expect(queue.takeBack()?.text).toBe(expected.pop());
        else if (expected.length > 0) expect((await queue.next())?.text).toBe(expected.shift());
        expect(queue.length).toBe(expected.length);
      }
    }),
  );
});
