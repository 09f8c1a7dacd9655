import { expect, test } from 'vitest';
import type { ProviderEvent } from '../contract/provider.ts';
import { NoteParagraphs } from './note-paragraphs.ts';

const note = (text: string): ProviderEvent => ({ type: 'text', text, note: true });
const text = (said: string): ProviderEvent => ({ type: 'text', text: said });
const signed: ProviderEvent = { type: 'thinking_signature', signature: 's' };

function read(...events: ProviderEvent[]): string {
  const paragraphs = new NoteParagraphs();
  return events.map((event) => paragraphs.read(event)?.text ?? '').join('');
}

test('pieces of one text or note are one paragraph; each note is its own', () => {
  expect(read(text('a'), text('b'))).toBe('ab');
  expect(read(note('One'), note('.'), signed, { type: 'thinking', text: '' }, signed)).toBe('One.');
  expect(read(note('One.'), signed, note('Two.'), signed, text('a'), text('b'))).toBe('One.\n\nTwo.\n\nab');
  expect(read(text('a'), signed, text('b'), note('One.'))).toBe('ab\n\nOne.');
});
