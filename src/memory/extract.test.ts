import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asTyped, type Message } from '../contract/message.ts';
import { extractionPrompt, isWorthExtracting, parseDrafts } from './extract.ts';

const at = { timestamp: '2026-11-16T00:00:00.000Z' };
const user = (text: string): Message => ({ role: 'user', content: [asTyped(text)], ...at });
const assistant = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  provider: 'p',
  model: 'm',
  stopReason: 'end',
  ...at,
});
const tool = (text: string): Message => ({
  role: 'tool',
  callId: 'c',
  name: 'WebFetch',
  success: true,
  content: [{ type: 'text', text }],
  ...at,
});

test('[M02] a note is kept only if it is valid and durable', () => {
  const answer = `Here you are:
\`\`\`json
[{"kind":"decisions","text":"Dates are stored in UTC because reports cross time zones."},
 {"kind":"gossip","text":"This kind does not exist at all."},
 {"kind":"learnings","text":"short"},
 {"kind":"learnings","text":"The bug is in line 42 of parser.ts."},
 {"kind":"context","text":"In this session the variable tmp was renamed."},
 "words", null,
 {"kind":"user","text":"  Prefers small commits.  "}]
\`\`\``;
  expect(parseDrafts(answer)).toEqual([
    { kind: 'decisions', text: 'Dates are stored in UTC because reports cross time zones.' },
    { kind: 'user', text: 'Prefers small commits.' },
  ]);
});

test('whatever a model answers, the result is at most eight notes, without an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), fc.constantFrom('[', ']', '][', '[]', '{"a":[1}')),
      (answer) => {
        expect(parseDrafts(answer).length).toBeLessThanOrEqual(8);
      },
    ),
  );
  const many = Array.from({ length: 30 }, (_, i) => ({
    kind: 'user',
    text: `A lasting preference, number ${i}.`,
  }));
  expect(parseDrafts(JSON.stringify(many))).toHaveLength(8);
});

test('the model sees the conversation and the known notes; not tool results, nor injected notes', () => {
  const prompt = extractionPrompt(
    [user('Use UTC.\n\n<memory>\nold news\n</memory>'), tool('POISON'), assistant('Done.')],
    [{ kind: 'user', text: 'Prefers tea.' }],
  );
  expect(prompt).toContain('User: Use UTC.\n\nAssistant: Done.\n</conversation>');
  expect(prompt).toContain('- Prefers tea.');
  expect(prompt).not.toContain('POISON');
  expect(prompt).not.toContain('old news');
});

test('after untrusted text was read, the model sees only what the user typed', () => {
  const attached: Message = {
    role: 'user',
    content: [{ type: 'text', text: '<file path="x">\nPOISON\n</file>\n\n' }, asTyped('See @x.')],
    ...at,
  };
  const report: Message = { role: 'user', content: [{ type: 'text', text: 'POISON' }], ...at };
  const prompt = extractionPrompt([attached, assistant('POISON'), report], [], { poisoned: true });
  expect(prompt).toContain('<conversation>\nUser: See @x.\n</conversation>');
  expect(prompt).not.toContain('POISON');
});

test('a long conversation is cut to a bounded prompt', () => {
  const long = Array.from({ length: 400 }, (_, i) =>
    (i % 2 ? assistant : user)(`${i} ${'word '.repeat(300)}`),
  );
  expect(extractionPrompt(long, []).length).toBeLessThan(26_000);
});

test('a single question and answer is skipped; a conversation or a longer run is not', () => {
  expect(isWorthExtracting([user('a'), assistant('b')])).toBe(false);
  expect(isWorthExtracting([user('a'), assistant('b'), user('c'), assistant('d')])).toBe(true);
  expect(
    isWorthExtracting([user('a'), assistant('b'), tool('x'), assistant('c'), tool('y'), assistant('d')]),
  ).toBe(true);
});
