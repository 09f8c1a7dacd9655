import { type Browser, chromium } from 'playwright-core';

export const chromiumPath = process.env.ACA_TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Debian's Chromium. It has no sandbox of its own here: containers forbid it, and all pages are ours. */
export function startBrowser(...flags: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', ...flags] });
}
