// @module-tag soak
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../web/chat/connection.ts';
import { useChatInBrowser } from './support/chat-in-browser.ts';

const it = useChatInBrowser();

const says = (text: string, messageId: string): ChatEvent => ({
  type: 'update',
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId },
});
const asks = (text: string, messageId: string): ChatEvent => ({
  type: 'update',
  update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text }, messageId },
});

/** Every block that looks different before it is complete. */
const ANSWER = [
  'The loop reads **one item too many**, see `src/cart.ts` and [the docs](https://example.com/loops).',
  '## What happens\n\n1. The first item is read.\n2. The last one is, too.\n   - then one that is not there',
  '| name | price |\n| --- | ---: |\n| pen | 2 |\n| book | 12 |',
  '```ts\nfor (let i = 0; i < items.length; i++) {\n  sum += items[i].price;\n}\n```',
  '> It was never tested with an empty list.\n\n---\n\nThat is all.',
].join('\n\n');

/** Rows of an earlier conversation, of many heights. */
function earlier(turns: number): ChatEvent[] {
  return Array.from({ length: turns }, (_, turn) => [
    asks(`Question ${turn}`, `q${turn}`),
    says(`Answer ${turn}.\n\n${'More words. '.repeat(20 * (turn % 3))}`, `a${turn}`),
  ]).flat();
}

type Shift = { value: number; moved: string[] };
type Recorded = { shifts: Shift[]; take(): void };

/** Records what moves from now on, whether the user did something or not. */
async function record(page: Page): Promise<() => Promise<Shift[]>> {
  await page.evaluate(() => {
    type Entry = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    const shifts: Shift[] = [];
    const note = (entries: PerformanceEntry[]) => {
      for (const { value, sources } of entries as Entry[])
        shifts.push({ value, moved: sources.map(({ node }) => node?.textContent?.slice(0, 40) ?? '') });
    };
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    observer.observe({ type: 'layout-shift' });
    Object.assign(window, { recorded: { shifts, take: () => note(observer.takeRecords()) } });
  });
  return () =>
    page.evaluate(() => {
      const { recorded } = window as unknown as { recorded: Recorded };
      recorded.take();
      return recorded.shifts;
    });
}

/** Two frames: what the last update changed was drawn, and what moved is known. */
const drawn = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

/** Where each row but the last begins within the conversation. */
const rowsAbove = (page: Page) =>
  page.evaluate(() => {
    const column = document.querySelector('.transcript .column')?.getBoundingClientRect().top ?? 0;
    const rows = [...document.querySelectorAll('.transcript .chunk > *')].slice(0, -1);
    return rows.map((row) => Math.round((row.getBoundingClientRect().top - column) * 10) / 10);
  });

const topOf = (page: Page) => page.locator('.transcript').evaluate(({ scrollTop }) => scrollTop);

/** One piece a frame, as text arrives. */
async function stream(page: Page, text: string, afterEach: () => Promise<void>): Promise<void> {
  for (let at = 0; at < text.length; at += 10) {
    await it.chat.emit(says(text.slice(at, at + 10), 'streamed'));
    await drawn(page);
    await afterEach();
  }
}

test.each([
  ['in a short conversation', 1, false],
  ['at the end of a long conversation, which is followed', 12, false],
  ['below what somebody reads further up', 12, true],
])('nothing jumps while an answer arrives %s', async (_where, turns, isReading) => {
  const page = await it.open(...earlier(turns), { type: 'turn_started' }, asks('Why?', 'why'));
  await it.chat.emit(says('So', 'streamed'));
  await drawn(page);
  if (isReading) {
    await page.locator('.transcript').hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    await drawn(page);
  }
  const [rows, top] = [await rowsAbove(page), await topOf(page)];
  expect(rows.length).toBeGreaterThan(turns);
  const shifts = await record(page);

  await stream(page, `: ${ANSWER}`, async () => {
    expect(await rowsAbove(page)).toEqual(rows);
    if (isReading) expect(await topOf(page)).toBe(top);
  });

  const all = await shifts();
  expect(
    all.reduce((sum, { value }) => sum + value, 0),
    JSON.stringify(all),
  ).toBeLessThan(0.1);
});

test('a row that moves others down would be noticed', async () => {
  const page = await it.open(...earlier(4));
  await drawn(page);
  const shifts = await record(page);
  await page.evaluate(() => {
    const banner = document.createElement('div');
    banner.style.height = '400px';
    const scroller = document.querySelector('.transcript');
    scroller?.querySelector('.chunk')?.prepend(banner);
  });
  await drawn(page);
  const all = await shifts();
  expect(all.flatMap(({ moved }) => moved).join()).toContain('Question 0');
  expect(all.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0.1);
});
