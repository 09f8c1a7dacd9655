import { renderUnicodeCompact } from 'uqr';

/** A QR code for a terminal, half as many rows as modules. */
export function qrCode(text: string): string {
  // Light on dark reads as a code in dark terminals; phones accept both.
  return renderUnicodeCompact(text, { border: 2, ecc: 'L' });
}
