import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { calls, type Step } from './model-server/script.ts';
import { type PageServer, type PageServerOptions, startPageServer } from './page-server.ts';
import type { Workspace } from './workspace.ts';

/** A file whose first and last lines a run changes. */
export const numbers = 'one\ntwo\n3\n4\n5\n6\n7\n8\n9\nten\neleven\n';
export const edits = (file: string): Step[] => [
  calls(['Read', { file_path: file }]),
  calls(['Edit', { file_path: file, old_string: 'two', new_string: 'TWO' }]),
  calls(['Edit', { file_path: file, old_string: 'ten', new_string: 'TEN' }]),
];

/** The server until the test ends. */
export async function served(
  space: Workspace,
  script: readonly Step[],
  options: PageServerOptions = {},
): Promise<PageServer> {
  const server = await startPageServer(space, script, options);
  onTestFinished(() => server.close());
  return server;
}

export async function startSession(page: Page, folder: string, task: string): Promise<void> {
  await page.locator('.side').getByRole('link', { name: 'New session' }).click();
  await page.getByLabel('Folder on the server').fill(folder);
  await page.getByLabel('What should be done?').fill(task);
  await page.getByRole('button', { name: 'Start' }).click();
}

/** A click in the first moment after a question appears is ignored: it was meant for something else. */
export async function approveUntil(page: Page, isDone: () => Promise<boolean>): Promise<void> {
  const yes = page.locator('.ask').getByRole('button', { name: 'Yes', exact: true });
  await expect
    .poll(async () => {
      if (await yes.isVisible()) await yes.click({ timeout: 2_000 }).catch(() => undefined);
      return isDone();
    })
    .toBe(true);
}

export const isShown = (page: Page, words: string) => page.getByText(words).first().isVisible();
export const shows = (page: Page, words: string) => page.getByText(words).first().waitFor();
