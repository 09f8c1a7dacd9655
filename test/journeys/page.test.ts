// @module-tag soak
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildPage } from '../../scripts/web-page.mjs';
import { headerOf, SessionStore } from '../../src/session/store.ts';
import { aca } from '../support/aca.ts';
import { prompt, reply } from '../support/histories.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { approveUntil, edits, isShown, numbers, served, shows, startSession } from '../support/page-run.ts';
import { seriousViolations, signedInPage } from '../support/signed-in-page.ts';
import { useBrowser } from '../support/use-browser.ts';
import { workspace } from '../support/workspace.ts';

const it = useBrowser();

test('a connection that is cut again and again loses nothing and shows nothing twice', async () => {
  const space = await workspace();
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ');
  const server = await served(space, [slowly(says(words), { betweenMs: 25 }), says('again')]);
  const { page, cut, problems } = await signedInPage(it.browser, await server.link());
  await startSession(page, space.root, 'count');
  const answer = page.locator('.transcript').getByText(/w0 w1/).first();
  await answer.waitFor();
  let cuts = 0;
  while (!(await answer.textContent())?.includes('w199')) {
    const before = ((await answer.textContent()) ?? '').length;
    await cut();
    cuts++;
    const goesOn = async () => {
      const text = (await answer.textContent()) ?? '';
      return text.length > before || text.includes('w199');
    };
    await expect.poll(goesOn).toBe(true);
  }
  expect(cuts).toBeGreaterThan(0);
  expect((await answer.textContent())?.trim()).toBe(words);

  await server.restart();
  await page.locator('.banner.offline').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: /message|prompt/i }).fill('go on');
  await page.keyboard.press('Enter');
  await shows(page, 'again');
  expect(await page.locator('.transcript').getByText(/w0 w1/).count()).toBe(1);
  expect(problems).toEqual([]);
});

test('markup in titles, file names, answers and outputs is shown as text', async () => {
  const attack = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`;
  const name = `<img src=x onerror=window.hit=1>.txt`;
  const space = await workspace({ [name]: `${attack}\ntwo\nten\n` });
  const server = await served(space, [
    ...edits(name),
    says(
      `${attack}\n\n[link](javascript:window.hit=1) ![x](http://127.0.0.1:1/x.png)\n\n<iframe src="/"></iframe>`,
    ),
  ]);
  const { page, problems } = await signedInPage(it.browser, await server.link());
  await startSession(page, space.root, `title ${attack}`);
  await approveUntil(page, () => page.locator('.transcript').getByText('<iframe').first().isVisible());
  await page.locator('.changes .panel-head').first().click();
  const folded = page.locator('.transcript button[aria-expanded=false]');
  while ((await folded.count()) > 0) await folded.first().click();
  await page.getByRole('link', { name: 'Activity' }).click();
  await shows(page, 'verified');

  expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  expect(await page.locator('iframe, img[src="x"], a[href^="javascript"]').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('on a phone everything is within its width; axe finds nothing serious, dark or light', async () => {
  const space = await workspace({ 'a.txt': numbers });
  const server = await served(space, [...edits('a.txt'), says('All done.')]);
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, problems } = await signedInPage(it.browser, await server.link(), {
    ...phone,
    colorScheme: 'dark',
  });
  const check = async (what: string) => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousViolations(page), `${what}, ${colorScheme}`).toEqual([]);
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, what).toBeLessThanOrEqual(390);
  };
  await check('list');
  await startSession(page, space.root, 'shout the numbers');
  await page.locator('.ask').waitFor();
  await check('session');
  await approveUntil(page, () => isShown(page, 'All done.'));
  await page.locator('.changes .panel-head').first().click();
  await page.locator('.changed-file .panel-head').first().click();
  await expect.poll(() => page.locator('.changed-file .hunk').count()).toBe(2);
  await check('changes');
  await page.getByRole('link', { name: 'Back to sessions' }).click();
  for (const name of ['Invite', 'Activity', 'Settings']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (name === 'Invite') {
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.locator('.qr path[d^=M]').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: /^Revoke/ }).click();
      await page.locator('.shown-link').waitFor({ state: 'detached' });
    }
    if (name === 'Settings') {
      const limit = page.getByLabel('Limit per day');
      await limit.fill('a lot');
      await limit.press('Enter');
      await shows(page, 'must be a limit');
      await limit.fill('$9');
      await limit.press('Enter');
      const config = path.join(space.home, '.ai-assistant/config.json');
      await expect.poll(() => readFile(config, 'utf8').catch(() => '')).toContain('"day": "$9"');
    }
    await check(name);
    await page.getByRole('link', { name: 'Back to sessions' }).click();
  }
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await shows(page, 'Signed out.');
  await check('sign-in');
  expect(problems).toEqual([]);
});

test('a session of 10,000 messages opens, and only a part of it is drawn', async () => {
  const space = await workspace();
  const store = new SessionStore(path.join(space.home, '.ai-assistant/sessions'));
  const opened = store.create(space.root, { model: 'ollama/none' });
  const messages = Array.from({ length: 5_000 }, (_, i) => [prompt(`question ${i}`), reply(`answer ${i}`)]);
  const entries = messages.flat().map((message) => ({ type: 'message' as const, message }));
  await opened.journal.append(headerOf(opened.session), ...entries);
  await opened.close();
  const server = await served(space, []);
  const { page, problems } = await signedInPage(it.browser, await server.link());
  await page.locator('a.card').first().click();
  await shows(page, 'answer 4999');
  expect(await page.locator('.transcript .column > .chunk').count()).toBeGreaterThan(300);
  expect(await page.locator('.transcript *').count()).toBeLessThan(3_000);
  await page.locator('.transcript').evaluate((element) => element.scrollTo(0, 0));
  await shows(page, 'question 0');
  expect(problems).toEqual([]);
});

test('what waits for an answer is announced outside of the page, once, and a click leads to it', async () => {
  const space = await workspace({ 'a.txt': numbers });
  const server = await served(space, [...edits('a.txt'), says('All done.')]);
  const { page, problems } = await signedInPage(it.browser, await server.link(), {
    permissions: ['notifications'],
  });
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByLabel(/notif/i).check();
  await page.evaluate(() => {
    const seen: Seen = { isHidden: false, notified: [], badges: [] };
    Object.assign(window, { seen });
    Object.defineProperty(document, 'hidden', { get: () => seen.isHidden });
    window.Notification = class extends window.Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        seen.notified.push([title, options?.body ?? '']);
        seen.last = this;
      }
    };
    navigator.setAppBadge = async (count) => void seen.badges.push(count ?? 0);
  });
  const seen = () =>
    page.evaluate(() => {
      const { notified, badges } = (window as unknown as { seen: Seen }).seen;
      return { notified, badge: badges.at(-1) };
    });
  await page.evaluate(() => {
    (window as unknown as { seen: Seen }).seen.isHidden = true;
  });
  await startSession(page, space.root, 'shout the numbers');
  await page.waitForURL(/#\/session\//);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect.poll(() => page.title()).toBe('(1) aca');
  await expect.poll(seen).toEqual({ notified: [['shout the numbers', 'Waiting for you']], badge: 1 });
  await page.evaluate(() => (window as unknown as { seen: Seen }).seen.last?.onclick?.(new Event('click')));
  await page.locator('.ask').waitFor();

  await approveUntil(page, () => isShown(page, 'All done.'));
  await expect.poll(() => page.title()).toBe('shout the numbers - aca');
  await expect.poll(async () => (await seen()).badge).toBe(0);
  // The second question is another one; the first was announced once.
  expect((await seen()).notified.length).toBeLessThanOrEqual(2);
  expect(problems).toEqual([]);
});

test('what a subagent does is nested in its call, and reads in a row are one row that unfolds', async () => {
  const space = await workspace({ 'a.txt': numbers, 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const server = await served(space, [
    calls(['Task', { description: 'look around', prompt: 'LOOK' }]),
    calls(['Read', { file_path: 'a.txt' }], ['Read', { file_path: 'b.txt' }], ['Glob', { pattern: '*.txt' }]),
    says('Seen.'),
    calls(['Read', { file_path: 'b.txt' }], ['Read', { file_path: 'c.txt' }]),
    says('All done.'),
  ]);
  const { page, problems } = await signedInPage(it.browser, await server.link());
  await startSession(page, space.root, 'look');
  await approveUntil(page, () => isShown(page, 'All done.'));
  const rows = page.locator('.transcript .chunk > .call');
  const titles = () => rows.locator('> .call-head .call-title').allTextContents();
  expect(await titles()).toEqual([expect.stringContaining('look around'), 'Read 2 files']);
  const inside = rows.first().locator('.call-rows .call-title');
  expect(await inside.allTextContents()).toEqual(['Read 2 files, searched 1 time']);
  await inside.first().click();
  expect(await inside.allTextContents()).toEqual([
    'Read 2 files, searched 1 time',
    'Read a.txt',
    'Read b.txt',
    expect.stringContaining('*.txt'),
  ]);
  await page.reload();
  await page.locator('.transcript').getByText('All done.').waitFor();
  expect(await titles()).toEqual([expect.stringContaining('look around'), 'Read 2 files']);
  expect(await inside.allTextContents()).toEqual(['Read 2 files, searched 1 time']);
  // The same from the disk alone.
  await server.restart();
  await page.reload();
  await page.locator('.transcript').getByText('All done.').waitFor();
  expect(await inside.allTextContents()).toEqual(['Read 2 files, searched 1 time']);
  expect(problems).toEqual([]);
});

test('the owner sees which browsers are signed in, and ends one at once, in the page or by a command', async () => {
  const space = await workspace();
  const server = await served(space, []);
  const owner = await signedInPage(it.browser, await server.link());
  const guest = await signedInPage(it.browser, await server.invite('editor', 'Eve'));
  await owner.page.getByRole('link', { name: 'Settings' }).click();
  const rows = owner.page.getByRole('list', { name: 'Signed-in browsers' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.first().textContent()).toMatch(/^Chrome on LinuxEve · editor · since .* · until /);
  await rows.first().getByRole('button', { name: 'Sign out' }).click();
  await guest.page.locator('.sign-in-card').waitFor();
  await expect.poll(() => rows.count()).toBe(1);

  const { stdout } = await aca(space, ['serve', 'sign-ins', '--json']);
  const { id, role, browser } = JSON.parse(stdout);
  expect([role, browser]).toEqual(['owner', 'Chrome on Linux']);
  expect((await aca(space, ['serve', 'sign-out', id])).stdout).toBe(`Signed out ${id}.\n`);
  await owner.page.locator('.sign-in-card').waitFor();
  expect((await aca(space, ['serve', 'sign-ins'])).stdout).toBe('No browser is signed in.\n');
  expect(await aca(space, ['serve', 'sign-out', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`There is no sign-in ${id}.`),
  });
  const audit = await aca(space, ['audit', 'access', '--json']);
  expect(audit.stdout).toMatch(/"revoked".*sign-in \w+: Eve, Chrome on Linux/);
  expect(audit.stdout).toContain(`sign-in ${id}: `);
});

type Seen = { isHidden: boolean; notified: string[][]; badges: number[]; last?: Notification };

test('the page is small', async () => {
  const { files } = await buildPage();
  const sizes = Object.entries(files as Record<string, { base64: string }>)
    .filter(([name]) => !name.includes('grammars'))
    .map(([, { base64 }]) => gzipSync(Buffer.from(base64, 'base64')).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});
