import type { OwnCertificate } from './certificate.ts';
import { qrCode } from './qr-code.ts';

/** What `aca serve` and `aca serve link` print about a link. */
export function linkText(link: string, options: { qr: boolean }): string {
  return options.qr ? `${link}\n\n${qrCode(link)}\n` : `${link}\n`;
}

/** So that people can compare it with what their browser shows. */
export function certificateText(fingerprint: string, { replaces }: OwnCertificate): string {
  return [
    ...(replaces === null
      ? []
      : [
          `The certificate was renewed. The last one is valid until ${new Date(replaces).toISOString().slice(0, 10)}.`,
        ]),
    'Your browser will warn about the certificate, because this server made it.',
    'Continue only if its SHA-256 fingerprint is:',
    `  ${fingerprint.slice(0, 47)}`,
    `  ${fingerprint.slice(48)}`,
    '',
  ].join('\n');
}
