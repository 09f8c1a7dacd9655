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
        'Sandbox that commands run in. auto picks the strongest one available, and a container only if `sandbox.image` is set',
      ),
    level: z
      .enum(levelsByStrictness)
      .default('standard')
      .describe(
        'strict: no file writes, no network. standard: writes in the working directory, no network. permissive: writes in the working directory, with network',
      ),
    required: z
      .boolean()
      .default(false)
      .describe('Block commands when no sandbox is available, instead of asking'),
    autoApprove: z
      .boolean()
      .exactOptional()
      .describe(
        'true: run sandboxed commands without asking, even if they may change files. false: ask before every change (default: in a folder you trust, sandboxed commands and edits run without asking)',
      ),
    image: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Container image for docker and podman (default: alpine:latest)'),
    allowedDomains: list('Hosts that sandboxed commands can reach, such as registry.npmjs.org'),
    maxProcesses: count()
      .default(4096)
      .describe('Maximum number of processes and threads per command; a command that exceeds it is stopped'),
    maxMemoryMb: count()
      .exactOptional()
      .describe(
        "Maximum memory in MB per command, including its child processes; a command that exceeds it is stopped (default: three quarters of the machine's memory)",
      ),
    writablePaths: list('Additional folders that sandboxed commands can write to, such as a cache'),
    readablePaths: list('Additional folders in your home folder that sandboxed commands can read'),
  });
