/** Errors of TLS about the certificate, apart from those that have a sentence of their own below. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const CLOCK = "Check this machine's clock; if it is right, the server needs a new certificate.";

const OTHERS: Readonly<Record<string, readonly [fault: string, remedy: string]>> = {
  CERT_HAS_EXPIRED: ['has expired', CLOCK],
  CERT_NOT_YET_VALID: ['is not valid yet', CLOCK],
  CERT_REVOKED: ['was revoked', 'Only who runs the server can renew it.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'is for another host',
    'Check the address, and whether a proxy or a login page of the network answers instead.',
  ],
};

const CA_FILE = 'Set network.caFile to the PEM file of its certificate authority.';

/** What is wrong with the certificate of `server`, and what to set; null if the request failed for another reason. */
export function certificateProblem(error: unknown, server: string): string | null {
  let link: unknown = error;
  for (let depth = 0; link instanceof Error && depth < 8; depth++) {
    const { code = '', message } = link as NodeJS.ErrnoException;
    const other = Object.hasOwn(OTHERS, code) ? OTHERS[code] : undefined;
    if (other) return `The certificate of ${server} ${other[0]} (${code}). ${other[1]}`;
    if (UNTRUSTED.has(code) || /self.signed certificate|verify the first certificate/i.test(message))
      return `The certificate of ${server} is not trusted (${code || message}). ${CA_FILE}`;
    link = link.cause;
  }
  return null;
}
