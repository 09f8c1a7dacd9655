import { describe, expect, test } from 'vitest';
import { parseLine } from '../shell/parse.ts';
import { commandRules, findForbidden } from './commands.ts';

const forbids = (line: string) => findForbidden(parseLine(line), '/srv/app')?.name;

describe.each(commandRules)('[P09][P10][Y07] the rule $name', ({ name, examples }) => {
  test.each(examples.hits)('forbids %s', (line) => expect(forbids(line)).toBe(name));
  test.each(examples.misses)('leaves %s to other judges', (line) => expect(forbids(line)).toBeUndefined());
});
