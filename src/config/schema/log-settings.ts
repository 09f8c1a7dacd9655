import * as z from 'zod';

export const logSettings = () =>
  z.strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'off'])
      .default('warn')
      .describe('Lowest level of messages written to the log'),
    file: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Path of the log file (default: `logs/aca.jsonl` in the data root)'),
  });
