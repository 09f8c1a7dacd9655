import * as z from 'zod';

export const cacheSettings = () =>
  z.strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Whether answers of Read, Glob, Grep and of side jobs are kept and given again while they are true',
      ),
    files: z
      .boolean()
      .default(false)
      .describe('Whether some are also kept in files of the data root, for other sessions'),
    responses: z
      .enum(['off', 'side-jobs', 'all'])
      .default('side-jobs')
      .describe(
        'Which answers of a model are kept for ten minutes, for the same request once more: those to side jobs, or all; only at temperature 0',
      ),
    redis: z
      .strictObject({
        url: z
          .url({ protocol: /^rediss?$/ })
          .exactOptional()
          .describe('A Redis server that several instances share, such as redis://localhost:6379'),
        key: z
          .string()
          .min(16)
          .exactOptional()
          .describe(
            'What is sent there is encrypted with this; without it, only counts of quotas are shared',
          ),
      })
      .prefault({})
      .describe('Where instances share what they keep'),
  });
