import { readFile, stat } from 'node:fs/promises';
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { shots } from '../scripts/screens/shots.ts';
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

test('every shot was taken at each size, dark and light, and is shown on the page of screens', async () => {
  const page = await readFile('docs/screens.md', 'utf8');
  for (const { name, title } of shots) {
    expect(page).toContain(`/${name}.svg`);
    for (const place of ['80x24-dark', '80x24-light', '120x40-dark', '120x40-light']) {
      const svg = await readFile(`docs/screens/${place}/${name}.svg`, 'utf8');
      expect(svg).toContain(`<title>${title}</title>`);
      expect(svg).not.toMatch(/<script|<foreignObject|\son\w+=|@import|url\(|href="(?!#)/);
    }
  }
});

test('a light screen has light ground and dark letters', async () => {
  const terminal = new xterm.Terminal({ cols: 20, rows: 4, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write('\u001b[31mred', resolve));
  const [dark, light] = [toSvg(screenOf(terminal), 'x'), toSvg(screenOf(terminal, 'light'), 'x')];
  expect(light).toContain('fill="#ffffff"');
  expect(light.replaceAll(/#[0-9a-f]{6}/g, '')).toBe(dark.replaceAll(/#[0-9a-f]{6}/g, ''));
  expect(light).not.toBe(dark);
});
