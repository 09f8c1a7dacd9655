import { describe, expect, test } from 'vitest';
import type { Rule } from '../../contract/permission.ts';
import { secretBecause, secretNames } from './secret-names.ts';
import { startupFiles, startupRule } from './startup-files.ts';

const titled = (rules: readonly Rule[]) => rules.map((rule) => ({ ...rule, title: rule.because }));

describe.each(titled(secretNames))('[P08] $title', ({ because, examples }) => {
  test.each(examples.hits)('%s', (name) => expect(secretBecause(name)).toBe(because));
  test.each(examples.misses)('not %s', (name) => expect(secretBecause(name)).toBeNull());
});

describe.each(titled(startupFiles))('writes ask because $title', ({ because, examples }) => {
  test.each(examples.hits)('%s', (name) => expect(startupRule(`/p/${name}`)?.because).toBe(because));
  test.each(examples.misses)('not %s', (name) => expect(startupRule(`/p/${name}`)).toBeUndefined());
});

test('a path of Windows is read as any other', () => {
  expect(startupRule('C:\\p\\.git\\hooks\\pre-commit')?.because).toBe('git runs what stands there');
});
