import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' } as const;

/** Unit tests run the source; journeys run the built program, so only they wait for a build. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/skips-aloud.ts'],
    // Journeys wait for processes more than they compute: one file at a time would leave a machine of two cores idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [
            'src/**/*.test.{ts,tsx}',
            'test/*.test.ts',
            'test/support/**/*.test.ts',
            'test/policy/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
    ],
  },
});
