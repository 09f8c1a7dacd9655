import { defineConfig } from 'vitest/config';

/** Journeys in a real VS Code: `npm run test:vscode`. The first run downloads it. */
export default defineConfig({
  test: {
    include: ['test/vscode/*.test.ts'],
    // An installation takes minutes.
    hookTimeout: 900_000,
    testTimeout: 120_000,
    // Each step starts where the one before it ended.
    bail: 1,
    expect: { poll: { timeout: 60_000 } },
  },
});
