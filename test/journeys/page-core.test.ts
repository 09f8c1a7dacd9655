import { expect, test } from 'vitest';
import { says } from '../support/model-server/script.ts';
import { approveUntil, edits, isShown, numbers, served, shows, startSession } from '../support/page-run.ts';
import { signedInPage } from '../support/signed-in-page.ts';
import { useBrowser } from '../support/use-browser.ts';
import { workspace } from '../support/workspace.ts';

const it = useBrowser();

test('sign in by the link, watch a run, approve edits, revert a hunk; a guest sees it all and can do nothing', async () => {
  const space = await workspace({ 'a.txt': numbers });
  const server = await served(space, [...edits('a.txt'), says('All **done**.')]);
  const link = await server.link();
  const owner = await signedInPage(it.browser, link);
  expect(owner.page.url()).not.toContain('code=');
  await startSession(owner.page, space.root, 'shout the numbers');
  await owner.page.locator('.ask').waitFor();

  const guest = await signedInPage(it.browser, await server.invite('viewer', 'Eve'));
  await guest.page.getByRole('link', { name: /shout the numbers/ }).click();
  await shows(guest.page, 'Waiting for somebody who may approve.');
  expect(await guest.page.locator('.composer, .choices, .nav-link[href="#/invitations"]').count()).toBe(0);
  await shows(guest.page, 'You are watching');
  await owner.page
    .getByRole('list', { name: 'People in this session' })
    .getByText('Eve, viewer')
    .waitFor({ state: 'attached' });
  expect(await owner.page.title()).toBe('(1) shout the numbers - aca');

  await approveUntil(owner.page, () => isShown(guest.page, 'Approved by'));
  await approveUntil(owner.page, () => isShown(owner.page, 'All done.'));
  for (const { page } of [owner, guest]) await shows(page, 'All done.');
  expect((await space.tree())['a.txt']).toBe(numbers.replace('two', 'TWO').replace('ten', 'TEN'));

  await owner.page.locator('.changes .panel-head').first().click();
  await owner.page.locator('.changed-file .panel-head').first().click();
  const hunks = owner.page.locator('.changed-file .hunk');
  await expect.poll(() => hunks.count()).toBe(2);
  await hunks
    .first()
    .getByRole('button', { name: /revert/i })
    .click();
  await expect.poll(() => hunks.count()).toBe(1);
  expect((await space.tree())['a.txt']).toBe(numbers.replace('ten', 'TEN'));
  await owner.page
    .locator('.changed-file')
    .getByRole('button', { name: /^accept/i })
    .first()
    .click();
  await expect.poll(() => owner.page.locator('.changes').count()).toBe(0);

  // Who comes later sees it too.
  await guest.page.reload();
  await guest.page
    .getByRole('article', { name: /^From / })
    .getByText('shout the numbers')
    .waitFor();
  await expect.poll(() => guest.page.getByText(/^Approved by/).count()).toBe(2);

  await owner.page.getByRole('link', { name: 'Activity' }).click();
  await shows(owner.page, 'verified');
  await shows(owner.page, 'approved');
  await owner.page
    .getByRole('table', { name: 'By session' })
    .getByRole('link', { name: 'shout the numbers' })
    .waitFor();
  expect([...owner.problems, ...guest.problems]).toEqual([]);
  const second = await signedInPage(it.browser, link);
  await shows(second.page, 'does not work any more');
});
