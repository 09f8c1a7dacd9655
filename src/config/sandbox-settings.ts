import * as z from 'zod';
import type { SandboxLevel } from '../contract/sandbox.ts';
import { list } from './setting-kinds.ts';

/** From strictest to loosest. */
export const levelsByStrictness = [
  'strict',
  'standard',
  'permissive',
] as const satisfies readonly SandboxLevel[];

export const sandboxSettings = () =>
  z.strictObject({
    kind: z
      .enum(['auto', 'bubblewrap', 'seatbelt', 'docker', 'podman', 'off'])
      .default('auto')
      .describe(
        'What commands run in; auto takes the strongest there is, a container only if `sandbox.image` is set',
      ),
    level: z
      .enum(levelsByStrictness)
      .default('standard')
      .describe(
        'strict: nothing can be written, no network; standard: the working directory can; permissive: the network, too',
      ),
    required: z
      .boolean()
      .default(false)
      .describe('Refuse commands where there is no sandbox, instead of asking about them'),
    autoApprove: z
      .boolean()
      .default(false)
      .describe('Commands that the sandbox contains need no question, though they may change files'),
    image: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Container image for docker and podman; without it, alpine:latest'),
    allowedDomains: list('Hosts that commands may reach from the sandbox, such as registry.npmjs.org'),
    writablePaths: list('Folders besides the working directory that commands may change, such as a cache'),
  });
