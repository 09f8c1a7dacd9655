import type { SandboxState } from '../../contract/sandbox.ts';

/** Ends a sentence such as "runs …". */
export function describeSandbox({ kind, level, network }: SandboxState): string {
  if (kind === 'host') return 'not sandboxed, with your full permissions';
  const writes = level === 'strict' ? 'cannot write files' : 'can write only in this folder';
  const reach =
    network === 'none' ? 'no network' : network === 'listed' ? 'listed hosts only' : 'network allowed';
  return `in ${kind}: ${writes}, ${reach}`;
}
