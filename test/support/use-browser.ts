import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { chromiumPath, startBrowser } from './browser.ts';
import { mustRun } from './needed.ts';

const MISSING = `Chromium is not installed at ${chromiumPath}; run \`apt install chromium\`, or set ACA_TEST_CHROMIUM to its path`;

/** A browser for the tests of a file, which are skipped if there is none. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (mustRun || existsSync(chromiumPath)) browser = await startBrowser();
  });
  beforeEach(({ skip }) => skip(browser === undefined, MISSING));
  afterAll(() => browser?.close());
  return {
    get browser() {
      if (!browser) throw new Error(MISSING);
      return browser;
    },
  };
}
