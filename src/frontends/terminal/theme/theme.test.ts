import { expect, test } from 'vitest';
import { paint } from '../painter/paint.ts';
import { groundOf, themeFor, themeNames, themeOf } from './theme.ts';

test('auto follows the background, and is dark if it is unknown', () => {
  const named = (setting: string, ground: 'dark' | 'light' | null) =>
    themeFor(setting, { ground, depth: '256' }).name;
  expect([
    named('auto', 'light'),
    named('auto', 'dark'),
    named('auto', null),
    named('fjord', 'light'),
  ]).toEqual(['light', 'dark', 'dark', 'fjord']);
});

test.each(themeNames)('%s: text is distinguishable from the background', (name) => {
  const { styles } = themeOf(name, 'truecolor');
  const ground = groundOf(name) === 'dark' ? '#101216' : '#ffffff';
  const faint = Object.entries(styles)
    .filter(([role, { color }]) => color !== undefined && role !== 'border' && contrast(color, ground) < 3.8)
    .map(([role]) => role);
  expect(faint).toEqual([]);
});

test.each(themeNames)('%s: added and removed differ at every color depth', (name) => {
  for (const depth of ['truecolor', '256', '16'] as const) {
    const { addedText, removedText, addedMark, removedMark } = themeOf(name, depth).styles;
    expect(
      new Set([addedText, removedText, addedMark, removedMark].map((style) => JSON.stringify(style))).size,
    ).toBe(4);
  }
});

test("a color is written in the terminal's color depth", () => {
  const keyword = (depth: 'truecolor' | '256' | '16' | 'none') =>
    paint([{ text: 'if', style: themeOf('dark', depth).styles.string }]);
  expect(keyword('truecolor')).toBe('\u001b[38;2;159;206;126mif\u001b[39m');
  expect(keyword('256')).toBe('\u001b[38;5;150mif\u001b[39m');
  expect(keyword('16')).toBe('\u001b[32mif\u001b[39m');
  expect(keyword('none')).toBe('if');
});

test('without colors no style has one', () => {
  for (const name of themeNames) {
    for (const style of Object.values(themeOf(name, 'none').styles)) {
      expect([style.color, style.background]).toEqual([undefined, undefined]);
    }
  }
});

function contrast(a: string, b: string): number {
  const [bright, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((bright ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
