import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../contract/errors.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { parseJson } from '../../lib/text/json.ts';
import { certificateOf, type Pinned, type ServerCertificate, trustOnly } from './pinned-certificate.ts';
import { serverFolder } from './server-record.ts';

/** Certificates in PEM, by the addresses of their servers. */
const known = z.record(z.string(), z.string());

export type Accepting = {
  /** The data root, which remembers what was accepted. */
  root: string;
  /** The only one to accept, as its owner named it. Nothing is asked then. */
  fingerprint?: string | undefined;
  /** Whether the user accepts this certificate. */
  ask(about: string): Promise<boolean>;
};

/**
 * How to connect to a server elsewhere: by its certificate, which is asked about once, as SSH does. Undefined if this
 * machine trusts it anyway. Throws if it is not the one that was accepted.
 */
export async function acceptedServer(url: string, accepting: Accepting): Promise<Pinned | undefined> {
  const found = await certificateOf(url).catch((error: Error) => {
    throw new UserError(
      `The server at ${url} cannot be reached: ${error.message}.`,
      'Check the address, and ask its owner whether it runs.',
    );
  });
  const isNamed = accepting.fingerprint !== undefined;
  if (!found && isNamed)
    throw new UserError(
      `${url} has no certificate.`,
      'Without --fingerprint, it is connected to all the same.',
    );
  if (!found || (found.isTrusted && !isNamed)) return undefined;
  await checkFingerprint(url, found, accepting);
  await remember(url, found.pem, accepting.root);
  return trustOnly(found.pem);
}

async function checkFingerprint(
  url: string,
  found: ServerCertificate,
  { root, fingerprint: named, ask }: Accepting,
): Promise<void> {
  const { fingerprint } = found;
  const shown = `Its SHA-256 fingerprint is ${fingerprint}.`;
  if (named !== undefined) {
    if (plain(named) === plain(fingerprint)) return;
    throw new UserError(
      `The certificate of ${url} is not the one you named. ${shown}`,
      'Compare it with the fingerprint that `aca serve` printed on that machine.',
    );
  }
  const before = (await knownServers(root))[url];
  if (before === undefined) {
    const question = `This machine does not know the certificate of ${url}.\n${shown}\nConnect only if it is the one that \`aca serve\` printed there.`;
    if (await ask(question)) return;
    throw new UserError('Not connected.', 'To accept a certificate without a question, pass --fingerprint.');
  }
  if (new X509Certificate(before).fingerprint256 === fingerprint) return;
  throw new UserError(
    `The certificate of ${url} has changed: another server may answer there. ${shown}`,
    'If its owner confirms this fingerprint, pass it with --fingerprint.',
  );
}

async function knownServers(root: string): Promise<Record<string, string>> {
  const { data } = known.safeParse(parseJson((await readTextIfAny(fileIn(root))) ?? '{}'));
  return data ?? {};
}

async function remember(url: string, pem: string, root: string): Promise<void> {
  makePrivateFolder(serverFolder(root));
  await updateFile(fileIn(root), async (write) => {
    const all = await knownServers(root);
    if (all[url] !== pem) await write(`${JSON.stringify({ ...all, [url]: pem }, null, 2)}\n`);
  });
}

function fileIn(root: string): string {
  return path.join(serverFolder(root), 'known-servers.json');
}

function plain(fingerprint: string): string {
  return fingerprint
    .replace(/^sha-?256[:=]?/i, '')
    .replaceAll(/[\s:]/g, '')
    .toUpperCase();
}
