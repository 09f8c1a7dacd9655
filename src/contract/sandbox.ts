export type SandboxKind = 'bubblewrap' | 'seatbelt' | 'docker' | 'podman' | 'host';

/** strict: no file writes, no network. standard: writes in the working directory. permissive: the network, too. */
export type SandboxLevel = 'strict' | 'standard' | 'permissive';

/** What stands between a command and the machine; `host` is nothing. `fallback` says why it is not what was wanted. */
export type SandboxState = {
  kind: SandboxKind;
  level: SandboxLevel;
  network: 'none' | 'listed' | 'open';
  fallback?: string;
};
