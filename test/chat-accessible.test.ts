// @module-tag soak
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import * as demo from '../web/chat/demo/session.ts';
import { buildChat, openChat } from './support/chat-page.ts';
import { sampled } from './support/soak.ts';
import { useBrowser } from './support/use-browser.ts';

const it = useBrowser();
let files: Awaited<ReturnType<typeof buildChat>>;
let axe: string;

beforeAll(async () => {
  const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  [files, axe] = await Promise.all([buildChat(), source]);
});

/** What axe calls serious or critical, with where it is. */
async function barriers(page: Page): Promise<string[]> {
  const results: AxeResults = await page.evaluate(
    `globalThis.axe ?? (() => { ${axe} })(); axe.run({ resultTypes: ['violations'] })`,
  );
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary}`),
    );
}

const LOOKS = [
  { colorScheme: 'light', width: 900 },
  { colorScheme: 'dark', width: 900 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'light', width: 390 },
] as const;

test.each(sampled(LOOKS, 2))(
  '$colorScheme, $width px: axe finds nothing serious, and nothing is wider than the screen',
  async ({ colorScheme, width }) => {
    const { page, emit, answer } = await openChat(it.browser, files, {
      colorScheme,
      viewport: { width, height: 844 },
      reducedMotion: 'reduce',
    });
    const found: string[] = [];
    const look = async (state: string) => {
      await page.waitForTimeout(100);
      const wide = await page.evaluate(
        () =>
          document.documentElement.scrollWidth > innerWidth ||
          (document.querySelector('[role="log"]')?.scrollWidth ?? 0) > innerWidth,
      );
      found.push(
        ...(wide ? [`${state}: too wide`] : []),
        ...(await barriers(page)).map((barrier) => `${state}: ${barrier}`),
      );
    };
    await answer({
      sessions: demo.sessions,
      changes: demo.changes,
      files: [{ path: 'src/auth.ts', isFolder: false }],
    });
    await emit(...demo.opened);
    await look('empty');
    await emit(...demo.work, ...demo.asked, {
      type: 'participants',
      participants: [{ id: 'p', name: 'Ben', role: 'editor' }],
    });
    await look('asked');
    await emit(...demo.done, { type: 'changes_changed' });
    await page.locator('.changes .panel-head').first().click();
    await page.locator('.changed-file .panel-head').first().click();
    await look('changes');
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('@');
    await page.getByRole('option').first().waitFor();
    await look('files');
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await page.getByRole('button', { name: /^Mode:/ }).click();
    await look('menu');
    await page.keyboard.press('Escape');
    await emit(
      {
        type: 'turn_failed',
        message: 'Your Anthropic key was rejected.',
        hint: 'Run `aca keys set anthropic`.',
      },
      { type: 'connection', state: 'offline' },
    );
    await look('failed');
    await page.getByRole('button', { name: 'Sessions' }).click();
    await look('sessions');
    expect(found).toEqual([]);
    await page.context().close();
  },
);

test('by keyboard alone: everything that can be clicked can be reached, in the order of the screen', async () => {
  const { page, emit } = await openChat(it.browser, files);
  await emit(...demo.opened, ...demo.work, ...demo.asked);
  await page.getByRole('region', { name: 'Approval needed' }).waitFor();
  await page.getByRole('button', { name: 'New session' }).focus();
  const seen = ['New session'];
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const active = document.activeElement;
      return active && active !== document.body
        ? `${active.getAttribute('aria-label') ?? active.textContent}`
        : null;
    });
    if (name === null) break;
    seen.push(name);
  }
  const order = [
    'New session',
    'Sessions',
    'Conversation',
    '1Yes',
    '3No',
    'Message',
    'Mode: Ask',
    'Stop',
  ].map((name) => seen.indexOf(name));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  await page.context().close();
});

test('a screen reader hears questions and finished answers, not each part', async () => {
  const { page, emit } = await openChat(it.browser, files);
  await emit(...demo.opened, { type: 'turn_started' });
  const status = page.locator('.chat > .offscreen [role="status"]');
  await expect.poll(() => status.textContent()).toBe('Working');
  const part = (text: string) =>
    emit({
      type: 'update',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId: 'm' },
    });
  await part('All ');
  await part('done.');
  await page.getByText('All done.').waitFor();
  expect(await status.textContent()).toBe('Working');
  await emit({ type: 'permission_asked', request: demo.command });
  await expect
    .poll(() => page.locator('.chat > .offscreen [role="alert"]').textContent())
    .toBe('Approval needed: Run a command?');
  await emit({ type: 'turn_ended', stopReason: 'end_turn' });
  await expect.poll(() => status.textContent()).toBe('All done.');
  await page.context().close();
});
