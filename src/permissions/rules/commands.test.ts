import { beforeAll, describe, expect, test } from 'vitest';
import { classify } from '../shell/classify.ts';
import { loadGrammar } from '../shell/grammar.ts';
import { commandRules } from './commands.ts';

beforeAll(loadGrammar);

const place = { cwd: '/srv/app', home: '/home/me', trusted: false, isInside: () => true };

function forbids(line: string): string | undefined {
  const { verdict, by } = classify(line, place);
  return verdict === 'deny' ? by.replace('built-in ', '') : undefined;
}

describe.each(commandRules)('[P09][P10][Y07] the rule $name', ({ name, examples }) => {
  test.each(examples.hits)('forbids %s', (line) => expect(forbids(line)).toBe(name));
  test.each(examples.misses)('leaves %s to other rules', (line) => expect(forbids(line)).toBeUndefined());
});
