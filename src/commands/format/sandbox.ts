import type { SandboxState } from '../../contract/sandbox.ts';

/** Ends a sentence such as "runs …". */
export function describeSandbox({ kind, level, network }: SandboxState): string {
  if (kind === 'host') return 'without a sandbox, with all your rights';
  const writes = level === 'strict' ? 'nothing can be written' : 'writes only in the working directory';
  const reach =
    network === 'none' ? 'no network' : network === 'listed' ? 'listed hosts only' : 'with the network';
  return `in ${kind}: ${writes}, ${reach}`;
}
