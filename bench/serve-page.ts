import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { buildPage } from '../scripts/web-page.mjs';
import { headerOf, SessionStore } from '../src/session/store.ts';
import { startBrowser } from '../test/support/browser.ts';
import { prompt, reply } from '../test/support/histories.ts';
import { type PageServer, startPageServer } from '../test/support/page-server.ts';
import { signedInPage } from '../test/support/signed-in-page.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { cpuMs, median, quantile } from './process-figures.ts';
import type { ServeRow } from './serve.ts';
import { startTimedStream } from './timed-stream.ts';

const STARTS = 5;
const MESSAGES = 10_000;
const SCROLLED_PIXELS = 40_000;
const PIXELS_PER_SECOND = 4_000;
const WORDS = 600;
const PER_SECOND = 100;
/** What an answer consists of, so that streaming goes through everything that may change its height. */
const MARKDOWN = [
  '# Title\n\n',
  '**bold** ',
  '\n\n```ts\n',
  'const a = 1;\n',
  '```\n\n',
  '- item\n',
  '| a | b |\n',
];

/** The page in Chromium. */
export async function pageRows(space: Workspace): Promise<ServeRow[]> {
  await saveLongSession(space);
  await using model = await startTimedStream(WORDS, PER_SECOND, markdown);
  const server = await startPageServer(space, model);
  const browser = await startBrowser();
  try {
    return [
      ...(await sizes()),
      ...(await starts(browser, server)),
      ...(await scrolling(browser, server)),
      await shifts(browser, server, space),
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

function markdown(index: number): string {
  return index % 6 === 0 ? (MARKDOWN[(index / 6) % MARKDOWN.length] ?? '') : `w${index}w`;
}

async function saveLongSession(space: Workspace): Promise<void> {
  const store = new SessionStore(path.join(space.home, '.ai-assistant/sessions'));
  const { session, journal, close } = store.create(space.root, { model: 'ollama/none' });
  const text = (i: number) =>
    `Answer ${i}.\n\n${'Some words of an answer. '.repeat((i % 7) * 6)}\n\n- \`code\` and **bold**\n- more\n\n\`\`\`ts\nconst answer = ${i};\n\`\`\``;
  const messages = Array.from({ length: MESSAGES / 2 }, (_, i) => [prompt(`question ${i}`), reply(text(i))]);
  await journal.append(
    headerOf(session),
    ...messages.flat().map((message) => ({ type: 'message' as const, message })),
  );
  await close();
}

async function sizes(): Promise<ServeRow[]> {
  const { files } = (await buildPage()) as { files: Record<string, { base64: string }> };
  const zipped = (isCounted: (name: string) => boolean) =>
    Object.entries(files)
      .filter(([name]) => isCounted(name))
      .reduce((sum, [, { base64 }]) => sum + gzipSync(Buffer.from(base64, 'base64')).length / 1000, 0);
  return [
    {
      what: 'page: size without the code highlighter, KB compressed',
      figure: zipped((name) => !name.includes('grammars')),
      target: 'under 150',
    },
    { what: 'page: code highlighter, KB compressed', figure: zipped((name) => name.includes('grammars')) },
  ];
}

/** Each in a browser without a cache. */
async function starts(browser: Browser, server: PageServer): Promise<ServeRow[]> {
  const painted: number[] = [];
  const listed: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const { page } = await signedInPage(browser, await server.link());
    await page.locator('a.card').first().waitFor();
    const times = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      now: performance.now(),
    }));
    painted.push(times.paint);
    listed.push(times.now);
    await page.context().close();
  }
  return [
    { what: 'page: first paint, ms', figure: median(painted), target: 'under 1000' },
    { what: 'page: sign-in to the list of sessions, ms', figure: median(listed) },
  ];
}

async function scrolling(browser: Browser, server: PageServer): Promise<ServeRow[]> {
  const { page } = await signedInPage(browser, await server.link());
  const devtools = await page.context().newCDPSession(page);
  const before = [await mainThreadMs(devtools), await cpuMs(server.pid)] as const;
  const clicked = performance.now();
  await page.locator('a.card').first().click();
  await page.getByText(`Answer ${MESSAGES / 2 - 1}.`).waitFor({ timeout: 120_000 });
  const opened = performance.now() - clicked;
  const busy = await mainThreadMs(devtools);
  const serving = (await cpuMs(server.pid)) - before[1];
  const frames = await framesDuring(page, () => scroll(devtools));
  const busyPerFrame = ((await mainThreadMs(devtools)) - busy) / ((SCROLLED_PIXELS / PIXELS_PER_SECOND) * 60);
  const drawn = await page.locator('.transcript *').count();
  await page.context().close();
  return [
    { what: 'page: 10,000 messages, click to the last one shown, ms', figure: opened },
    { what: 'page: 10,000 messages, the same, main thread busy, ms', figure: busy - before[0] },
    { what: 'page: 10,000 messages, the same, CPU of the server, ms', figure: serving },
    { what: 'page: 10,000 messages, elements drawn', figure: drawn },
    {
      what: 'page: 10,000 messages scrolled, main thread busy in a frame, ms',
      figure: busyPerFrame,
      target: 'under 16.7',
    },
    { what: 'page: 10,000 messages scrolled, frame, median, ms', figure: median(frames), target: '16.7' },
    { what: 'page: 10,000 messages scrolled, frame, 99 of 100, ms', figure: quantile(frames, 0.99) },
    {
      what: 'page: 10,000 messages scrolled, frames over 50 ms, %',
      figure: (frames.filter((ms) => ms > 50).length / frames.length) * 100,
    },
  ];
}

/** As a finger does it. */
async function scroll(devtools: CDPSession): Promise<void> {
  await devtools.send('Input.synthesizeScrollGesture', {
    x: 700,
    y: 300,
    yDistance: SCROLLED_PIXELS,
    speed: PIXELS_PER_SECOND,
    gestureSourceType: 'mouse',
  });
}

/** CPU time so far, which other programs of a busy machine do not change. */
async function mainThreadMs(devtools: CDPSession): Promise<number> {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** Milliseconds between frames. */
async function framesDuring(page: Page, during: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    const tick = (at: number) => {
      frames.push(at);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await during();
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  return frames.slice(1).map((at, i) => at - (frames[i] ?? at));
}

/** What moves without the user, while an answer arrives: the browser's own measure, 0 is none. */
async function shifts(browser: Browser, server: PageServer, space: Workspace): Promise<ServeRow> {
  const { page } = await signedInPage(browser, await server.link());
  await page.keyboard.press('n');
  await page.getByLabel('Folder on the server').fill(space.root);
  await page.getByLabel('What should be done?').fill('go');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.transcript').getByText('w1w').waitFor();
  await page.evaluate(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      const shifted = list.getEntries() as unknown as { value: number }[];
      for (const { value } of shifted) (window as unknown as { shift: number }).shift += value;
    }).observe({ type: 'layout-shift', buffered: false });
  });
  await page
    .locator('.transcript')
    .getByText(`w${WORDS - 1}w`)
    .waitFor();
  const figure = await page.evaluate(() => (window as unknown as { shift: number }).shift);
  await page.context().close();
  return { what: 'page: layout shift while an answer arrives', figure, target: 'under 0.1' };
}
