import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../../lib/files/errno.ts';
import { updateFile } from '../../../lib/files/file-update.ts';
import { readTextIfAny } from '../../../lib/files/read-text.ts';
import { readRegularText } from '../../../lib/files/regular-file.ts';
import { type Pinned, trustOnly } from '../pinned-certificate.ts';

export type Certificate = {
  cert: string;
  key: string;
  fingerprint: string;
  /** Set if it was made here. */
  own?: OwnCertificate;
};

/** `replaces`: until when the certificate before was valid, if this one has just replaced it. */
export type OwnCertificate = { replaces: string | null };

const DAY_MS = 24 * 60 * 60_000;
/** The longest that browsers accept. */
const VALID_DAYS = 397;
const RENEW_DAYS = 30;

/** From the user's PEM files. */
export function givenCertificate(files: { cert: string; key: string }): Certificate {
  const [cert, key] = [readPem('--tls-cert', files.cert), readPem('--tls-key', files.key)];
  const parsed = parse(cert, key);
  if (!parsed)
    throw new UserError(
      `${files.key} is not the private key of ${files.cert}.`,
      'Give both as PEM files: --tls-cert FILE --tls-key FILE.',
    );
  if (Date.parse(parsed.validTo) < Date.now())
    throw new UserError(`The certificate in ${files.cert} expired on ${parsed.validTo}.`, 'Renew it.');
  return { cert, key, fingerprint: parsed.fingerprint256 };
}

/** Our own, made at the first start and kept: renewed before it expires, or when `names` are added. */
export async function ownCertificate(folder: string, names: readonly string[]): Promise<Certificate> {
  const certFile = path.join(folder, 'tls-cert.pem');
  const keyFile = path.join(folder, 'tls-key.pem');
  return updateFile(certFile, async (write) => {
    const cert = (await readTextIfAny(certFile)) ?? '';
    const key = (await readTextIfAny(keyFile)) ?? '';
    const kept = parse(cert, key);
    if (kept && lastsLongEnough(kept) && names.every((name) => covers(kept, name)))
      return { cert, key, fingerprint: kept.fingerprint256, own: { replaces: null } };
    const fresh = await makeCertificate(names);
    await write(fresh.key, { to: keyFile });
    await write(fresh.cert);
    return { ...fresh, own: { replaces: kept?.validTo ?? null } };
  });
}

/** Saves the certificate in use, so that programs of this user recognise the server. Null if it uses none. */
export async function publishCertificate(folder: string, certificate: Certificate | null): Promise<void> {
  await updateFile(publishedIn(folder), (write) => write(certificate?.cert ?? ''));
}

/**
 * TLS options for programs of this user: they send their token only to the server itself, also if its address belongs to
 * another machine by now.
 */
export function trustOwnServer(folder: string): Pinned {
  const cert = unlessErrno(['ENOENT'], '', () => readRegularText(publishedIn(folder)));
  return cert === '' ? {} : trustOnly(cert);
}

function publishedIn(folder: string): string {
  return path.join(folder, 'server-cert.pem');
}

async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const all = [...new Set([...names, 'localhost', hostname().toLowerCase(), '127.0.0.1', '::1'])];
  const now = Date.now();
  const { cert, private: key } = await generate(
    [{ name: 'commonName', value: `aca serve on ${hostname()}` }],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      // Clocks of phones may be a little behind.
      notBeforeDate: new Date(now - DAY_MS),
      notAfterDate: new Date(now + VALID_DAYS * DAY_MS - DAY_MS),
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: all.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
        },
      ],
    },
  );
  return { cert, key, fingerprint: new X509Certificate(cert).fingerprint256 };
}

/** Null if they do not belong together. */
function parse(cert: string, key: string): X509Certificate | null {
  try {
    const parsed = new X509Certificate(cert);
    return parsed.checkPrivateKey(createPrivateKey(key)) ? parsed : null;
  } catch {
    return null;
  }
}

function lastsLongEnough({ validTo }: X509Certificate): boolean {
  return Date.parse(validTo) - Date.now() > RENEW_DAYS * DAY_MS;
}

function covers(cert: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? cert.checkHost(name) : cert.checkIP(name)) !== undefined;
}

function readPem(flag: string, file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    if (!isErrno(error)) throw error;
    throw new UserError(
      `Cannot read ${flag} ${file}: ${error.message}.`,
      'Check the path and its permissions.',
    );
  }
}
