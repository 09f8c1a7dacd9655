import type { WebSocket } from 'ws';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import type { SignIns } from '../access/sign-ins.ts';
import type { Identity } from '../identity.ts';
import type { CreatedInvitation, Invitation, NewInvitation } from '../owner-methods.ts';
import type { OwnCertificate } from './certificate.ts';

export type ServerOptions = {
  /** `<data root>/serve`: the token, invitations, sign-ins and the certificate. */
  folder: string;
  /** The audit log that accesses are written to; null if it is switched off. */
  auditFile: string | null;
  /** `ADDRESS[:PORT]`; 127.0.0.1 and the default port (or a free one) if absent. */
  listen?: string;
  /** Other names under which browsers reach the server, such as that of a reverse proxy: `NAME[:PORT]`. */
  allowHosts?: readonly string[];
  /** PEM files, or a certificate of our own, which is also made for addresses that other machines reach. */
  tls?: { cert: string; key: string } | 'own';
  /** How often the certificate is looked at; a day if absent. */
  renewMs?: number;
  /** A reverse proxy on this machine sets X-Forwarded-For. */
  behindProxy?: boolean;
  /** Called for each authenticated connection. The socket is closed when the identity loses its access, which `isAllowed` tells. */
  onSocket(socket: WebSocket, who: Identity, isAllowed: () => Promise<boolean>): void;
  /** Some access was revoked, or may have expired. */
  onAccessChanged(): void;
  /** Shown to the user, such as a log that cannot be written. */
  onTrouble(message: string): void;
};

export type RunningServer = {
  /** For programs on this machine, without a path, such as `http://127.0.0.1:7317`. */
  url: string;
  /** The same for links, which may lead to a reverse proxy. */
  publicUrl: string;
  address: string;
  port: number;
  /** SHA-256 of the certificate, if the server speaks TLS. */
  fingerprint: string | null;
  /** Set if the server made its certificate. */
  ownCertificate: OwnCertificate | null;
  /** A link that signs the owner in once, within ten minutes. */
  signInLink(): Promise<string>;
  invitations: Invitations;
  signIns: SignIns;
  /** Records what a participant did, such as a prompt or an approval. */
  audit(entry: AccessEntry): void;
  close(): Promise<void>;
};

export type Invitations = {
  create(invitation: NewInvitation, by: Identity): Promise<CreatedInvitation>;
  list(): Promise<Invitation[]>;
  /** Cuts the connections of its guests. False if there is no such invitation. */
  revoke(id: string, by: Identity): Promise<boolean>;
};
