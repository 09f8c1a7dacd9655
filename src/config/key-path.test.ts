import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../contract/errors.ts';
import { formatKeyPath, knownKeyPath, parseKeyPath } from './key-path.ts';

describe('the path of a setting', () => {
  test.each([
    ['model', ['model']],
    ['permissions.allow', ['permissions', 'allow']],
    ['models["openai/gpt-4.1"].price', ['models', 'openai/gpt-4.1', 'price']],
    ['aliases["a\\"b"]', ['aliases', 'a"b']],
  ])('%s is %j', (text, expected) => {
    expect(parseKeyPath(text)).toEqual(expected);
  });

  test.each(['a..b', 'a.', 'a[0', 'a["b', '["a"]b', 'a["\\x"]', 'a["\n"]'])('%s is refused', (text) => {
    expect(() => parseKeyPath(text)).toThrow(UserError);
  });

  test('round-trips', () => {
    const name = fc.stringMatching(/^[ -~]{1,12}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        expect(parseKeyPath(formatKeyPath(names))).toEqual(names);
      }),
    );
  });
});

describe('a key the user typed', () => {
  test.each([
    ['streamResponses', ['streamOutput']],
    ['providers.mine.baseUrl', ['providers', 'mine', 'baseUrl']],
    ['aliases.fast', ['aliases', 'fast']],
    ['permissions', ['permissions']],
  ])('%s is known', (text, expected) => {
    expect(knownKeyPath(text)).toEqual(expected);
  });

  test.each([
    ['maxturn', 'There is no setting maxturn. Did you mean maxTurns?'],
    ['permissions.alow', 'There is no setting permissions.alow. Did you mean permissions.allow?'],
    ['providers.mine.url', 'There is no setting providers.mine.url. Did you mean providers.mine.baseUrl?'],
    ['model.x', 'There is no setting model.x.'],
    ['constructor', 'There is no setting constructor.'],
    ['__proto__', 'There is no setting __proto__.'],
    ['', 'There is no setting [""].'],
    ['autoApproveReads', 'autoApproveReads is set through requireApprovalForReads.'],
  ])('%s is refused with a suggestion', (text, message) => {
    expect(() => knownKeyPath(text)).toThrow(message);
  });
});
