export type SandboxKind = 'bubblewrap' | 'seatbelt' | 'docker' | 'podman' | 'host';

/** strict: no file writes, no network. standard: writes in the working directory. permissive: the network, too. */
export type SandboxLevel = 'strict' | 'standard' | 'permissive';

/** The isolation of a command; `host` is none. `fallback` says why it is not the requested one. */
export type SandboxState = {
  kind: SandboxKind;
  level: SandboxLevel;
  network: 'none' | 'listed' | 'open';
  fallback?: string;
};

/** How the sandbox's proxy starts the page with which it refuses a host; it reaches us in programs' output. */
export const HOST_REFUSED = 'Blocked by the sandbox';
