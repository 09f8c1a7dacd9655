import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptQueue, steeringPrompts, type TypedPrompt, type WaitingPrompts } from './prompt-queue.ts';

const prompt = (text: string): TypedPrompt => ({ text, images: [] });
const later = (text: string): TypedPrompt => ({ text, images: [], after: true });
const silent = () => new PromptQueue({ onChange: () => undefined });

test('prompts are sent oldest first, and the newest can be taken back for editing', async () => {
  const shown: string[][] = [];
  const queue = new PromptQueue({ onChange: (waiting) => shown.push(waiting.map(({ text }) => text)) });
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
  const queue = new PromptQueue({ onChange: (waiting) => shown.push(waiting) });
  const next = queue.next();
  queue.add(prompt('a'));
  expect(await next).toEqual(prompt('a'));
  expect(shown).toEqual([]);
});

test('the end of input ends the wait, and what still waits is not sent', async () => {
  const queue = silent();
  const next = queue.next();
  queue.end();
  expect(await next).toBeNull();
  queue.add(prompt('late'));
  expect(await queue.next()).toBeNull();
  expect(queue.forNextStep()).toBeNull();
});

test('a run claims what waits for its next step, and the queue reports it once', () => {
  const claimed: string[] = [];
  const queue = new PromptQueue({
    onChange: () => undefined,
    onClaimed: (prompts) => claimed.push(...prompts.map(({ text }) => text)),
  });
  for (const one of [prompt('a'), later('b'), prompt('c'), prompt('/cost'), prompt('d')]) queue.add(one);

  const waiting = queue.forNextStep();
  expect(waiting?.prompts).toEqual([prompt('a'), prompt('c')]);
  expect(queue.length).toBe(5);
  expect([waiting?.claim(), waiting?.claim()]).toEqual([true, false]);
  expect(claimed).toEqual(['a', 'c']);
  expect([queue.length, queue.forNextStep()]).toEqual([3, null]);
});

test('a prompt taken back or sent before it is claimed cannot be claimed', async () => {
  const queue = silent();
  queue.add(prompt('a'));
  const first = queue.forNextStep();
  queue.takeBack();
  expect(first?.claim()).toBe(false);
  queue.add(prompt('b'));
  const second = queue.forNextStep();
  await queue.next();
  expect(second?.claim()).toBe(false);
});

test('with `queue: after`, every prompt waits until the run has ended', async () => {
  const queue = new PromptQueue({ onChange: () => undefined, queue: 'after' });
  queue.add(prompt('a'));
  expect(queue.forNextStep()).toBeNull();
  expect(await queue.next()).toEqual(later('a'));
});

test.each([
  ['/cost', false],
  ['  /model x', false],
  ['/plugin:command', false],
  ['!ls', false],
  ['  ! make test', false],
  ['/etc/hosts is missing', true],
  ['!', true],
  ['use tabs', true],
])('"%s" steers a run: %s', (text, steers) => {
  expect(steeringPrompts([prompt(text), prompt('next')]).length).toBe(steers ? 2 : 0);
});

type Step = 'add' | 'add-after' | 'add-command' | 'next' | 'back' | 'peek' | 'claim';

test('every prompt is sent, claimed or taken back exactly once, and commands keep their place', async () => {
  const step = fc.constantFrom<Step>('add', 'add-after', 'add-command', 'next', 'back', 'peek', 'claim');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const added: string[] = [];
      const gone: string[] = [];
      const sent: string[] = [];
      const queue = new PromptQueue({
        onChange: () => undefined,
        onClaimed: (prompts) => {
          for (const { text } of prompts) {
            const earlier = added.slice(0, added.indexOf(text));
            expect(earlier.filter((one) => one.startsWith('/') && !gone.includes(one))).toEqual([]);
            gone.push(text);
          }
        },
      });
      let peeked: WaitingPrompts | null = null;
      for (const one of steps) {
        const text = `${one === 'add-command' ? '/do' : 'p'} ${added.length}`;
        if (one.startsWith('add')) {
          added.push(text);
          queue.add(one === 'add-after' ? later(text) : prompt(text));
        } else if (one === 'peek') peeked = queue.forNextStep();
        else if (one === 'claim') peeked?.claim();
        else if (queue.length > 0) {
          const { text: taken } = (one === 'back' ? queue.takeBack() : await queue.next()) ?? prompt('');
          gone.push(taken);
          if (one === 'next') sent.push(taken);
        }
        expect(new Set(gone).size).toBe(gone.length);
        expect(gone.length + queue.length).toBe(added.length);
      }
      expect(sent).toEqual(added.filter((text) => sent.includes(text)));
    }),
  );
});
