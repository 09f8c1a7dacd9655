import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wireNames } from './tool-names.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));

describe('tool names on the wire', () => {
  test("a plain name is unchanged, an MCP tool's colon becomes two underscores", () => {
    const names = wireNames(named('Read', 'github:list_issues', 'a:b:c'));

    expect(names.toWire('Read')).toBe('Read');
    expect(names.toWire('github:list_issues')).toBe('github__list_issues');
    expect(names.toWire('a:b:c')).toBe('a__b_c');
    expect(names.fromWire('github__list_issues')).toBe('github:list_issues');
  });

  test('a name that would collide with another gets a hash, the plain one is unchanged', () => {
    const names = wireNames(named('git:log', 'git__log'));

    expect(names.toWire('git__log')).toBe('git__log');
    expect(names.toWire('git:log')).toMatch(/^git__log_[0-9a-f]{10}$/);
    expect(names.fromWire(names.toWire('git:log'))).toBe('git:log');
  });

  test('names that differ only in rejected characters stay distinct', () => {
    const names = wireNames(named('a:x.y', 'a:x y'));

    expect(names.toWire('a:x.y')).not.toBe(names.toWire('a:x y'));
    expect(names.fromWire(names.toWire('a:x.y'))).toBe('a:x.y');
  });

  test('a long name is cut to 64 characters and stays unique', () => {
    const names = wireNames(named(`server:${'x'.repeat(90)}a`, `server:${'x'.repeat(90)}b`));

    expect(names.toWire(`server:${'x'.repeat(90)}a`)).toHaveLength(64);
    expect(names.fromWire(names.toWire(`server:${'x'.repeat(90)}b`))).toBe(`server:${'x'.repeat(90)}b`);
  });

  test('an unknown name passes: encoded in history, unchanged from the model', () => {
    const names = wireNames(named('Read'));

    expect(names.toWire('gone:tool')).toBe('gone__tool');
    expect(names.fromWire('Reed')).toBe('Reed');
  });

  test('every name round-trips, is valid and unique, whatever the order of the tools', () => {
    const name = fc.oneof(
      fc.stringMatching(/^[a-c:_. -]{1,6}$/),
      fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }),
      fc.stringMatching(/^[a-b]:[x_]{58,70}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), (all) => {
        const names = wireNames(named(...all));
        const reversed = wireNames(named(...all.toReversed()));
        const wires = all.map(names.toWire);

        for (const wire of wires) expect(wire).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        expect(new Set(wires).size).toBe(all.length);
        expect(wires.map(names.fromWire)).toEqual(all);
        expect(all.map(reversed.toWire)).toEqual(wires);
        for (const plain of all.filter((one) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(one)))
          expect(names.toWire(plain)).toBe(plain);
      }),
    );
  });
});
