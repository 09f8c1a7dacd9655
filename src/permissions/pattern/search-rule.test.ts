import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPolicy } from '../../../test/support/policy.ts';
import { evaluate } from '../evaluate.ts';
import { searchFilter } from './search-rule.ts';

describe('results left out of a search', () => {
  test.each<[deny: string[], ask: string[], named: string[], host: string, hidden: boolean]>([
    [[], [], [], 'a.org', false],
    [['WebSearch(domain:a.org)'], [], [], 'a.org', true],
    [['WebSearch(domain:a.org)'], [], [], 'x.a.org', true],
    [['WebSearch(domain:a.org)'], [], [], 'aa.org', false],
    [['WebSearch(domain:*.a.org)'], [], [], 'a.org', false],
    [['WebSearch(domain:*.a.org)'], [], [], 'x.a.org', true],
    [['WebFetch(domain:a.org)'], [], [], 'a.org', true],
    [['WebFetch(https://a.org/private)'], [], [], 'a.org', false],
    [['WebFetch(a.org)'], [], [], 'a.org', true],
    [['Web*(domain:a.org)'], [], [], 'a.org', true],
    [['WebFetch'], [], [], 'a.org', false],
    [['Bash(curl a.org)'], [], [], 'a.org', false],
    [[], ['WebSearch(domain:a.org)'], [], 'a.org', true],
    [[], ['WebSearch(domain:a.org)'], ['a.org'], 'a.org', false],
    [[], ['WebSearch(domain:a.org)'], ['x.a.org'], 'x.a.org', false],
    [[], ['WebSearch(domain:x.a.org)'], ['a.org'], 'x.a.org', true],
    [[], ['WebFetch(domain:a.org)'], [], 'a.org', false],
    [['WebSearch(domain:a.org)'], ['WebSearch(domain:a.org)'], ['a.org'], 'a.org', true],
  ])('deny %j, ask %j, named %j: %s', (deny, ask, named, host, hidden) => {
    expect(searchFilter({ deny, ask }, named)(host)).toBe(hidden);
  });
});

describe('a search', () => {
  const judge = (rules: { allow?: string[]; ask?: string[]; deny?: string[] }, domains: string[]) => {
    const target = 'node streams';
    const accesses =
      domains.length === 0
        ? [{ kind: 'search' as const, target }]
        : domains.map((domain) => ({ kind: 'search' as const, target, domain }));
    const all = { allow: [], ask: [], deny: [], ...rules };
    return evaluate({ tool: 'WebSearch', accesses, input: {} }, { ...plainPolicy('/w'), rules: all }).verdict;
  };
  test.each<[object, string[], string]>([
    [{}, [], 'ask'],
    [{ allow: ['WebSearch'] }, [], 'allow'],
    [{ allow: ['WebSearch'] }, ['a.org'], 'allow'],
    [{ allow: ['WebSearch(domain:a.org)'] }, [], 'ask'],
    [{ allow: ['WebSearch(domain:a.org)'] }, ['a.org'], 'allow'],
    [{ allow: ['WebSearch(domain:a.org)'] }, ['x.a.org'], 'allow'],
    [{ allow: ['WebSearch(domain:a.org)'] }, ['a.org', 'b.org'], 'ask'],
    [{ allow: ['WebSearch(domain:a.org)', 'WebSearch(domain:b.org)'] }, ['a.org', 'b.org'], 'allow'],
    [{ allow: ['WebFetch', 'WebFetch(domain:a.org)'] }, ['a.org'], 'ask'],
    [{ allow: ['WebSearch(a.org)'] }, ['a.org'], 'ask'],
    [{ deny: ['WebSearch'] }, ['a.org'], 'deny'],
    [{ allow: ['WebSearch'], deny: ['WebSearch(domain:a.org)'] }, [], 'allow'],
    [{ allow: ['WebSearch'], deny: ['WebSearch(domain:a.org)'] }, ['a.org'], 'deny'],
    [{ allow: ['WebSearch'], deny: ['WebSearch(a.org)'] }, ['x.a.org'], 'deny'],
    [{ allow: ['WebSearch'], ask: ['WebSearch(domain:a.org)'] }, ['a.org'], 'ask'],
    [{ allow: ['WebSearch'], ask: ['WebSearch'] }, [], 'ask'],
  ])('%j, limited to %j: %s', (rules, domains, verdict) => {
    expect(judge(rules, domains)).toBe(verdict);
  });

  test('a domain that is denied never shows, whatever else is allowed or named', () => {
    const label = fc.stringMatching(/^[a-z]{1,3}$/);
    const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(host, fc.array(label, { maxLength: 2 }), fc.array(host), (domain, under, named) => {
        const rule = `WebSearch(domain:${domain})`;
        const isHidden = searchFilter({ deny: [rule], ask: [] }, named);
        expect(isHidden([...under, domain].join('.'))).toBe(true);
        expect(judge({ allow: ['WebSearch'], deny: [rule] }, [[...under, domain].join('.')])).toBe('deny');
      }),
    );
  });
});
