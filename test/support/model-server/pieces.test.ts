// @module-tag soak
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idOf, isSealed, type ScriptedCall, seal, sign, split, weave } from './pieces.ts';

const call: ScriptedCall = { type: 'call', name: 'Read', input: {} };

describe('pieces', () => {
  test('of any text join to the text, and none is empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, longest) => {
        const pieces = split(text, longest);
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => piece.length > 0)).toBe(true);
      }),
    );
  });

  test('keep surrogate pairs together unless they are single units', () => {
    expect(split('👋👋', 2)).toEqual(['👋👋']);
    expect(split('👋', 1)).toEqual(['\ud83d', '\udc4b']);
  });

  test('are deterministic', () => {
    expect(split('the quick brown fox jumps')).toEqual(['the q', 'uic', 'k brown ', 'fo', 'x jumps']);
  });
});

describe('weave', () => {
  test('keeps each stream in order and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer(), { maxLength: 6 }), { maxLength: 4 }), (lists) => {
        const streams = lists.map(function* (list, stream) {
          for (const value of list) yield { stream, value };
        });
        const woven = [...weave(streams)];
        expect(
          lists.map((_list, at) => woven.filter(({ stream }) => stream === at).map(({ value }) => value)),
        ).toEqual(lists);
      }),
    );
  });
});

describe('ids and signatures', () => {
  test('an id is unique by request and position unless the script gives one or none', () => {
    const at = (seq: number) => ({ seq, prefix: 'call_' });
    expect(new Set([idOf(call, 0, at(1)), idOf(call, 1, at(1)), idOf(call, 0, at(2))]).size).toBe(3);
    expect(idOf({ ...call, id: 'mine' }, 0, at(1))).toBe('mine');
    expect(idOf({ ...call, id: null }, 0, at(1))).toBeUndefined();
  });

  test('a signature belongs to one thought; a seal is recognized', () => {
    expect(sign('a')).not.toBe(sign('b'));
    expect([isSealed(seal('secret')), isSealed('c2VjcmV0'), isSealed(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
