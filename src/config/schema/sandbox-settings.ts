import * as z from 'zod';
import type { SandboxLevel } from '../../contract/sandbox.ts';
import { count, list } from './setting-kinds.ts';

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
        'strict: cannot write files, no network; standard: the working directory can; permissive: the network, too',
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
    maxProcesses: count()
      .default(4096)
      .describe('Most processes and threads of one command at a time; one that starts more is stopped'),
    maxMemoryMb: count()
      .exactOptional()
      .describe(
        'Most memory of one command with all it starts, in MB; one that uses more is stopped. Without it, three quarters of the machine’s memory',
      ),
    writablePaths: list('Folders besides the working directory that commands may change, such as a cache'),
  });
