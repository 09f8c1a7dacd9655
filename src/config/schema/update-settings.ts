import * as z from 'zod';

export const updateSettings = () =>
  z.strictObject({
    check: z
      .boolean()
      .default(true)
      .describe('Whether the registry is asked once a day, in the background, for a newer version'),
    registry: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe("The registry that is asked; without it, npm's own setting or the public one"),
  });
