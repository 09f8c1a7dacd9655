import { expect, test } from 'vitest';
import { argumentsOf } from './prompt-commands.ts';

const argument = (name: string) => ({ name, description: '', required: true });
const prompt = { name: 'p', description: '', arguments: ['city', 'state'].map(argument) };

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['Oslo', { city: 'Oslo' }],
  ['Oslo a b c', { city: 'Oslo', state: 'a b c' }],
  ['state=Norway Oslo by the sea', { state: 'Norway', city: 'Oslo by the sea' }],
  ['x=1 2', { city: 'x=1', state: '2' }],
])('words become arguments by position or by name: %j', (line, expected) => {
  expect(argumentsOf(prompt, line.split(' ').filter(Boolean))).toEqual(expected);
});
