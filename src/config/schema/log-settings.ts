import * as z from 'zod';

export const logSettings = () =>
  z.strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'off'])
      .default('warn')
      .describe('What is written to the log: this, and what is worse'),
    file: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Where the log is; without it, `logs/aca.jsonl` in the data root'),
  });
