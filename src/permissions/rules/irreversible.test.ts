import { beforeAll, describe, expect, test } from 'vitest';
import { loadGrammar } from '../shell/grammar.ts';
import { parseLine } from '../shell/parse.ts';
import { reach } from '../shell/reach.ts';
import { irreversibleBecause, irreversibleRules } from './irreversible.ts';

beforeAll(loadGrammar);

const because = (line: string) => irreversibleBecause(reach(parseLine(line), { cwd: '/srv/app' }));

describe.each(irreversibleRules)('$because', ({ because: wanted, examples }) => {
  test.each(examples.hits)('%s', (line) => expect(because(line)?.endsWith(` ${wanted}`)).toBe(true));
  test.each(examples.misses)('%s can be taken back', (line) => expect(because(line)).toBeNull());
});

test.each([
  "bash -c 'git reset --hard'",
  'timeout 5 git clean -fd',
  'git -C sub reset --hard',
  'ls && rm -rf .git',
])('behind a wrapper it is seen: %s', (line) => expect(because(line)).not.toBeNull());
