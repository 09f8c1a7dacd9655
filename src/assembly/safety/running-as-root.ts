/** Shown once at the start of a conversation, and by `aca doctor`. */
export const ROOT_NOTICE =
  'Running as root: sandboxed commands cannot change the system, but commands outside the sandbox can.';

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** For the start of a conversation. */
export function rootHints(env: Readonly<Record<string, string | undefined>>): string[] {
  return isRoot() && env.AI_ASSISTANT_ROOT_EXPECTED !== '1' ? [ROOT_NOTICE] : [];
}
