import type { SandboxState } from '../../contract/sandbox.ts';

/** Ends a sentence such as "Commands run …". */
export function describeSandbox(sandbox: SandboxState): string {
  if (sandbox.kind === 'host') return 'without a sandbox, with your full permissions';
  return `in ${sandbox.kind}: ${limitsOf(sandbox)}`;
}

/** What one command may do, for a question about it. */
export function sandboxLine(sandbox: SandboxState): string {
  if (sandbox.kind === 'host') return 'Not sandboxed: runs with your full permissions';
  return `Sandboxed: ${limitsOf(sandbox)}`;
}

function limitsOf({ level, network }: SandboxState): string {
  const writes = level === 'strict' ? 'cannot write files' : 'can write only in this folder';
  const reach =
    network === 'none' ? 'no network' : network === 'listed' ? 'listed hosts only' : 'network allowed';
  return `${writes}, ${reach}`;
}
