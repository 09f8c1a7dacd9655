import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { webPage } from './scripts/web-page.mjs';
import { builtBinary } from './test/support/binary.ts';

const shared = {
  // For a machine twenty times as busy as an idle one: only what hangs exceeds them.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  pool: 'forks',
  setupFiles: 'test/support/seed.ts',
  // What is waited for comes at once on an idle machine; on a busy one a second is not enough.
  expect: { poll: { timeout: 60_000 } },
} as const;
/** Longer than any single wait in them, so that the wait can say what did not come. */
const journeys = { ...shared, testTimeout: 240_000 };

/** Journeys that go through most of what a runtime may do differently; `npm run test:binary` runs them all. */
const WITH_BINARY = [
  'binary',
  'embedded',
  'headless',
  'images',
  'page-keyboard',
  'sandbox',
  'sessions',
  'tools-edit',
  'tools-search',
  'tui-input',
].map((name) => `test/journeys/${name}.test.ts`);
/** About the source and the docs; `npm run check` runs them, and `npm test` begins with it. */
const STRUCTURE = ['architecture', 'docs', 'docs-facts'].map((name) => `test/${name}.test.ts`);
const INSTALL = 'test/journeys/install.test.ts';
/** These measure the memory of their own process: what other tests have used would hide what they need. */
const ALONE = ['src/sandbox/shell/shell-flood.test.ts', 'src/sandbox/files/read-lines-memory.test.ts'];
const ABOUT_BINARY = 'test/journeys/binary.test.ts';

/** Unit tests run the source; journeys run the built program, so only they wait for a build. */
export default defineConfig({
  test: {
    tags: [{ name: 'soak', description: 'Run by `npm run test:soak`, not by `npm test`.' }],
    reporters: ['default', './test/support/report-skipped.ts'],
    // Journeys wait for processes and timers more than they compute.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        plugins: [webPage()],
        test: {
          ...shared,
          name: 'unit',
          // Nothing is global, so files may share what they have loaded: half of the time was loading it again.
          isolate: false,
          include: [
            'src/**/*.test.ts',
            'web/**/*.test.ts',
            'editors/**/*.test.ts',
            'test/*.test.ts',
            'test/support/**/*.test.ts',
            'test/policy/**/*.test.ts',
          ],
          exclude: [...ALONE, ...STRUCTURE],
        },
      },
      { test: { ...shared, name: 'structure', include: STRUCTURE } },
      { test: { ...shared, name: 'alone', include: ALONE } },
      {
        test: {
          ...journeys,
          name: 'journeys',
          isolate: false,
          include: ['test/journeys/**/*.test.ts', 'test/soak/**/*.test.ts'],
          exclude: process.env.ACA_UNDER_TEST ? [INSTALL] : [INSTALL, ABOUT_BINARY],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      {
        test: {
          ...journeys,
          name: 'binary',
          include: builtBinary === null ? [INSTALL] : [INSTALL, ...WITH_BINARY],
          globalSetup: ['test/support/binary.ts'],
          ...(builtBinary !== null && { env: { ACA_UNDER_TEST: builtBinary } }),
        },
      },
    ],
  },
});
