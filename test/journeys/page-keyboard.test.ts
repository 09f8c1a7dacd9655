// @module-tag soak
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { says, slowly } from '../support/model-server/script.ts';
import { edits, isShown, numbers, served, shows } from '../support/page-run.ts';
import { signedInPage } from '../support/signed-in-page.ts';
import { useBrowser } from '../support/use-browser.ts';
import { workspace } from '../support/workspace.ts';

const it = useBrowser();

/** Moves the focus to an element as a keyboard user does. */
async function tabTo(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < 100; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`No ${key} leads to ${wanted}.`);
}

test('a whole run by keyboard: sign in, prompt, approve, revert a hunk, stop', async () => {
  const space = await workspace({ 'a.txt': numbers });
  const server = await served(space, [
    ...edits('a.txt'),
    says('All done.'),
    slowly(says('word '.repeat(2_000), { pieceLength: 5 }), { betweenMs: 50 }),
  ]);
  const { page, problems } = await signedInPage(it.browser, server.url);
  const { keyboard } = page;
  await keyboard.insertText(await server.link());
  await keyboard.press('Enter');
  await page.locator('.navigation').waitFor();

  await keyboard.press('n');
  await tabTo(page, page.getByLabel('What should be done?'));
  await keyboard.type('shout the numbers');
  await tabTo(page, page.getByLabel('Folder on the server'), 'Shift+Tab');
  await keyboard.insertText(space.root);
  await keyboard.press('Enter');

  // Keys in the first second after typing are for the prompt.
  await expect
    .poll(async () => {
      if (await page.locator('.ask').isVisible()) {
        await page.waitForTimeout(1_200);
        await keyboard.press('1');
        await keyboard.press('Enter');
      }
      return isShown(page, 'All done.');
    })
    .toBe(true);
  expect((await space.tree())['a.txt']).toBe(numbers.replace('two', 'TWO').replace('ten', 'TEN'));

  const changes = page.getByRole('region', { name: 'Changes' });
  await tabTo(page, changes.getByRole('button', { name: /1 file/ }));
  await keyboard.press('Enter');
  await tabTo(page, changes.locator('.changed-file .panel-head'));
  await keyboard.press('Enter');
  await tabTo(page, changes.getByRole('button', { name: 'Revert a.txt, line 1' }));
  await keyboard.press('Enter');
  await expect.poll(() => changes.locator('.hunk').count()).toBe(1);
  expect((await space.tree())['a.txt']).toBe(numbers.replace('ten', 'TEN'));

  await tabTo(page, page.getByRole('textbox', { name: 'Message' }));
  await keyboard.type('talk');
  await keyboard.press('Enter');
  await shows(page, 'word word');
  await keyboard.press('Escape');
  await shows(page, 'Stopped.');
  expect(problems).toEqual([]);
});

test('the first key works as soon as the page is there, before it is painted', async () => {
  const server = await served(await workspace({}), []);
  const { page, problems } = await signedInPage(it.browser, await server.link());
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector('.navigation')) return;
      watch.disconnect();
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'n', bubbles: true, cancelable: true }),
      );
    });
    watch.observe(document, { subtree: true, childList: true });
  });
  await page.reload();
  await page.getByLabel('What should be done?').waitFor();
  expect(problems).toEqual([]);
});
