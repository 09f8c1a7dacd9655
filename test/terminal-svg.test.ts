import { readFile, stat } from 'node:fs/promises';
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { screenOf, toAnimatedSvg, toSvg } from '../scripts/screens/terminal-svg.ts';

async function screen(text: string) {
  const terminal = new xterm.Terminal({ cols: 20, rows: 4, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  return screenOf(terminal);
}

test('a screen is as high as its text, and its text is escaped', async () => {
  const one = await screen('a < b\r\n\r\n& c');
  const svg = toSvg(one, 'x & y');
  expect(one.rows.map((row) => row !== '')).toEqual([true, false, true]);
  expect(svg).toContain('<title>x &amp; y</title>');
  expect(svg).toContain('>a &lt; b');
  expect(svg).toContain('>&amp; c');
  expect(svg).toContain(`height="${3 * 18 + 32}"`);
});

test('frames follow each other in their time, on a strip that draws a repeated row once', async () => {
  const frames = [
    { screen: await screen('same\r\none'), ms: 300 },
    { screen: await screen('same\r\ntwo\r\nthree'), ms: 100 },
  ];
  const svg = toAnimatedSvg(frames, 'title');
  expect(svg.match(/>same/g)).toHaveLength(1);
  expect(svg.match(/<use href="#r0" y="0"\/>/g)).toHaveLength(2);
  expect(svg).toContain(
    '@keyframes play{0.00%{transform:translateX(-0px)}75.00%{transform:translateX(-200px)}100%{transform:translateX(-200px)}}',
  );
  expect(svg).toContain('animation:play 400ms step-end infinite');
  expect(svg).toContain('prefers-reduced-motion:reduce');
});

test('the recorded demo plays as an image: small, without scripts or anything from elsewhere', async () => {
  const svg = await readFile('docs/screens/demo.svg', 'utf8');
  expect((await stat('docs/screens/demo.svg')).size).toBeLessThan(60_000);
  expect(svg).toContain('@keyframes');
  expect(svg).not.toMatch(/<script|<foreignObject|\son\w+=|@import|url\(|href="(?!#)/);
});
