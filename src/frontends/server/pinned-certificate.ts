import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type PeerCertificate } from 'node:tls';

export type Pinned = Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>;

const HANDSHAKE_MS = 10_000;

/** TLS options for a server with exactly this certificate, whoever issued it and for whatever name. */
export function trustOnly(cert: string): Pinned {
  const { fingerprint256 } = new X509Certificate(cert);
  const isSame = (peer: PeerCertificate) => peer.fingerprint256 === fingerprint256;
  const other = () => new Error('this is not the certificate that was accepted for it');
  // The certificate may be for other names, and issued by an authority that only the whole chain names.
  const partial = { allowPartialTrustChain: true };
  return {
    ca: [cert],
    ...partial,
    checkServerIdentity: (_name, peer) => (isSame(peer) ? undefined : other()),
  };
}

/** `isTrusted`: an authority that this machine trusts issued it for this name. */
export type ServerCertificate = { pem: string; fingerprint: string; isTrusted: boolean };

/** The certificate of a server that this machine has no reason to trust; null if it has one. */
export async function unknownCertificate(url: string): Promise<ServerCertificate | null> {
  const found = await certificateOf(url);
  return found?.isTrusted ? null : found;
}

/** Null without TLS. Nothing is sent to the server but the handshake. */
export async function certificateOf(url: string): Promise<ServerCertificate | null> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return null;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      timeout: HANDSHAKE_MS,
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.once('secureConnect', () => {
      const found = socket.getPeerX509Certificate();
      const { authorized: isTrusted } = socket;
      resolve(found ? { pem: found.toString(), fingerprint: found.fingerprint256, isTrusted } : null);
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
  });
}
