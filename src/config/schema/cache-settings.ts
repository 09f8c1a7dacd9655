import * as z from 'zod';

export const cacheSettings = () =>
  z.strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Reuse results of Read, Glob, Grep and background model calls while they are still valid'),
    files: z
      .boolean()
      .default(false)
      .describe('Also store cached results in the data root so other sessions can use them'),
    responses: z
      .enum(['off', 'side-jobs', 'all'])
      .default('side-jobs')
      .describe(
        'Which model replies are cached for 10 minutes and reused for identical requests: background tasks only, or all. Applies only at temperature 0',
      ),
    redis: z
      .strictObject({
        url: z
          .url({ protocol: /^rediss?$/ })
          .exactOptional()
          .describe('URL of a Redis server shared by several instances, such as redis://localhost:6379'),
        key: z
          .string()
          .min(16)
          .exactOptional()
          .describe('Encryption key for data stored in Redis; without it, only quota counters are shared'),
      })
      .prefault({})
      .describe('Redis cache shared by several instances'),
  });
