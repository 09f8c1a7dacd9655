import { describe, expect, test } from 'vitest';
import type { Rule } from '../../contract/permission.ts';
import { secretBecause, secretNames } from './secret-names.ts';

const titled = (rules: readonly Rule[]) => rules.map((rule) => ({ ...rule, title: rule.because }));

describe.each(titled(secretNames))('[P08] $title', ({ because, examples }) => {
  test.each(examples.hits)('%s', (name) => expect(secretBecause(name)).toBe(because));
  test.each(examples.misses)('not %s', (name) => expect(secretBecause(name)).toBeNull());
});
