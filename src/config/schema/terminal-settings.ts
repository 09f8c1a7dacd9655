import * as z from 'zod';

export const notificationSettings = () =>
  z.strictObject({
    when: z
      .enum(['away', 'always', 'never'])
      .default('away')
      .describe(
        'When to notify: `away` while the terminal is not focused (in terminals that do not report the focus, after `afterSeconds` without a key press)',
      ),
    afterSeconds: z
      .number()
      .min(0)
      .default(10)
      .describe('Notify about the end of a run that took longer than this'),
    bell: z.boolean().default(true).describe('Ring the terminal bell'),
    desktop: z
      .enum(['auto', 'osc9', 'osc777', 'off'])
      .default('auto')
      .describe('Desktop notification through the terminal; `auto` chooses what your terminal understands'),
    command: z
      .string()
      .min(1)
      .exactOptional()
      .describe(
        'Command to run for each notification, outside the sandbox, with `ACA_TITLE` and `ACA_MESSAGE` in its environment',
      ),
  });

export const statusLineSettings = () =>
  z.strictObject({
    type: z.literal('command').describe('Always `command`'),
    command: z
      .string()
      .min(1)
      .describe(
        'Command that prints the line, outside the sandbox; it reads the state as JSON from standard input',
      ),
    padding: z.number().int().min(0).max(20).default(0).describe('Spaces before the line'),
  });
