import type { WebSocket } from 'ws';
import type { Identity, Role } from '../identity.ts';

export type ServerOptions = {
  /** `<data root>/serve`: the token, invitations, sign-ins and the certificate. */
  folder: string;
  /** The audit log that accesses are written to. */
  auditFile: string;
  /** `ADDRESS[:PORT]`; 127.0.0.1 and the default port (or a free one) if absent. */
  listen?: string;
  /** Other names under which browsers reach the server, such as that of a reverse proxy: `NAME[:PORT]`. */
  allowHosts?: readonly string[];
  /** PEM files. Without them, a server on other addresses makes its own certificate. */
  tls?: { cert: string; key: string };
  /** A reverse proxy on this machine sets X-Forwarded-For. */
  behindProxy?: boolean;
  /** Called for each authenticated connection. The socket is closed when the identity loses its access. */
  onSocket(socket: WebSocket, who: Identity): void;
  /** Shown to the user, such as a log that cannot be written. */
  onTrouble(message: string): void;
};

export type RunningServer = {
  /** Without a path, such as `http://127.0.0.1:7317`. */
  url: string;
  address: string;
  port: number;
  /** SHA-256 of the certificate, if the server speaks TLS. */
  fingerprint: string | null;
  /** A link that signs the owner in once, within ten minutes. */
  signInLink(): Promise<string>;
  invitations: Invitations;
  /** Records what a participant did: a prompt, an approval, a refused method. */
  audit(entry: AccessEntry): void;
  close(): Promise<void>;
};

/** What is known of an invitation; its secret is only in the link. */
export type Invitation = {
  id: string;
  name: string | null;
  role: Role;
  sessions: 'all' | readonly string[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
};

export type NewInvitation = {
  role: Exclude<Role, 'owner'>;
  name?: string;
  sessions?: readonly string[];
  /** A day if absent. */
  expiresInMs?: number;
};

export type Invitations = {
  create(invitation: NewInvitation, by: Identity): Promise<{ invitation: Invitation; link: string }>;
  list(): Promise<Invitation[]>;
  /** Cuts the connections of its guests. False if there is no such invitation. */
  revoke(id: string, by: Identity): Promise<boolean>;
};

/** One line of the audit log about an access to the server. */
export type AccessEntry = {
  /** Such as `sign-in`, `refused`, `connected`, `prompt`, `approved`. */
  event: string;
  by?: Pick<Identity, 'id' | 'name' | 'role'>;
  address?: string;
  session?: string;
  /** Why something was refused, or what exactly was done. */
  detail?: string;
};
