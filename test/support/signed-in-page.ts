import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export type SignedInPage = {
  page: Page;
  /** Errors, dialogs, and whatever the browser refused. */
  problems: string[];
  /** Breaks the connection to the server, as a lost network does. */
  cut(): Promise<void>;
};

/** A browser of its own that followed a link. */
export async function signedInPage(
  browser: Browser,
  link: string,
  options: BrowserContextOptions = {},
): Promise<SignedInPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  // What is waited for comes at once on an idle machine.
  page.setDefaultTimeout(90_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A lost connection, and the question whether the browser is signed in, are no problems.
    const isExpected = /WebSocket|status of 401/.test(message.text());
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    const sockets: WebSocket[] = [];
    Object.assign(window, { sockets });
    const Original = window.WebSocket;
    window.WebSocket = class extends Original {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        sockets.push(this);
      }
    };
  });
  await page.goto(link);
  await page.locator('.navigation, .sign-in-card').first().waitFor();
  return {
    page,
    problems,
    cut: () =>
      page.evaluate(() => {
        for (const socket of (window as unknown as { sockets: WebSocket[] }).sockets) socket.close();
      }),
  };
}

type Violation = { id: string; impact: string | null; nodes: { html: string }[] };

/** What axe finds serious, with the elements. */
export async function seriousViolations(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}
