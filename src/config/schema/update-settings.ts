import * as z from 'zod';

export const updateSettings = () =>
  z.strictObject({
    check: z
      .boolean()
      .default(true)
      .describe('Check the registry for a newer version once a day, in the background'),
    registry: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Registry to check (default: the one npm uses, or the public one)'),
    models: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Address of the model table for `aca models update` (default: the published one)'),
  });
