// @module-tag soak
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSite } from '../scripts/site/build.ts';
import { seriousViolations } from './support/signed-in-page.ts';
import { useBrowser } from './support/use-browser.ts';

const it = useBrowser();
let out: string;
beforeAll(async () => {
  out = await mkdtemp(path.join(tmpdir(), 'aca-site-'));
  await buildSite('.', out);
});
afterAll(() => rm(out, { recursive: true }));

const address = (name: string) => pathToFileURL(path.join(out, name)).href;

test('on a phone no page is wider than the screen, and the menu opens', async () => {
  const page = await it.browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(address('index.html'));
  const links = page.locator('.side li a');
  expect(await links.first().isVisible()).toBe(false);
  await page.locator('.menu').click();
  expect(await links.first().isVisible()).toBe(true);

  const pages = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  expect(pages.length).toBeGreaterThan(40);
  const wide: string[] = [];
  for (const href of pages) {
    await page.goto(href);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(href);
  }
  expect(wide).toEqual([]);
  await page.close();
});

test('the theme follows the system until you choose one, which is kept', async () => {
  const page = await it.browser.newPage({ colorScheme: 'dark' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(address('index.html'));
  const dark = await background();
  await page.locator('.theme').click();
  const light = await background();
  expect(light).not.toBe(dark);
  await page.goto(address('headless.html'));
  expect(await background()).toBe(light);
  await page.close();
});

test('search finds a section by its words, and / puts the cursor there', async () => {
  const page = await it.browser.newPage();
  await page.goto(address('index.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('exit codes');
  const first = page.locator('.found a').first();
  await first.waitFor();
  expect(await first.getAttribute('href')).toBe('headless.html#exit-codes');
  await first.click();
  expect(await page.locator('h2#exit-codes').isVisible()).toBe(true);

  await page.locator('.search').fill('xyzzyplugh');
  await expect.poll(() => page.locator('.found').textContent()).toBe('Nothing found.');
  await page.close();
});

test.each(['dark', 'light'] as const)('%s: axe finds nothing serious', async (colorScheme) => {
  const page = await it.browser.newPage({ colorScheme });
  const found: string[] = [];
  const look = async (name: string, on: Page) => {
    await on.goto(address(name));
    found.push(...(await seriousViolations(on)).map((violation) => `${name}: ${violation}`));
  };
  for (const name of ['index.html', 'quick-start.html', 'headless.html', 'comparison.html', 'screens.html'])
    await look(name, page);
  expect(found).toEqual([]);
  await page.close();
});
