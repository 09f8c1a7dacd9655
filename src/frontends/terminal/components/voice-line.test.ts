import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { VoiceState } from '../view/types.ts';
import { voiceLine } from './voice-line.ts';

const theme = themeOf('dark', '16');
const shown = (state: VoiceState, columns = 90) =>
  voiceLine(state, { columns, theme })
    .map(({ text }) => text)
    .join('');
const recording = (changes: object = {}): VoiceState => ({
  type: 'recording',
  levels: [0, 0.5, 1],
  ms: 67_400,
  isHeld: false,
  destination: 'api.openai.com',
  ...changes,
});

test('the length, the levels, where it goes, and the keys', () => {
  expect(shown(recording())).toBe(
    '● Recording to api.openai.com 1:07 ▁▁▁▁▁▁▁▁▁▁▅█ Enter to finish, Esc to cancel',
  );
  expect(shown(recording({ isHeld: true, destination: null, ms: 0 }))).toBe(
    '● Recording 0:00 ▁▁▁▁▁▁▁▁▁▁▅█ release to finish',
  );
  expect(shown({ type: 'transcribing', destination: 'api.openai.com' })).toBe(
    'Transcribing to api.openai.com… Esc to cancel',
  );
});

test('a narrow terminal still says who hears it', () => {
  expect(shown(recording(), 40)).toBe('● Recording to api.openai.com 1:07');
});

test('it is never wider than the screen', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.string(),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (columns, destination, levels) => {
        for (const state of [
          recording({ destination, levels }),
          { type: 'transcribing', destination } as const,
        ])
          expect(widthOfLine(voiceLine(state, { columns, theme }))).toBeLessThanOrEqual(columns);
      },
    ),
  );
});
