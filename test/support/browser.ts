import { type Browser, chromium } from 'playwright-core';

const PROGRAM = process.env.ACA_TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Debian's Chromium. It has no sandbox of its own here: containers forbid it, and all pages are ours. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
}
