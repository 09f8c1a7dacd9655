import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { qrCode } from './qr-code.ts';

test('the QR code in a terminal shows every module of the link, light on dark, within 80 columns', () => {
  const link = `http://127.0.0.1:7317/#code=${'aB3-_'.repeat(9)}`;
  const rows = qrCode(link).split('\n');
  // Each character is two modules, one above the other; a light one is printed.
  const dark = rows.flatMap((row) => {
    const cells = [...row];
    return [
      cells.map((cell) => cell === '▄' || cell === ' '),
      cells.map((cell) => cell === '▀' || cell === ' '),
    ];
  });
  const { data, size } = encode(link, { border: 2, ecc: 'L' });

  expect(dark.slice(0, size)).toEqual(data);
  expect(size).toBeLessThanOrEqual(80);
  // Phones need a light margin.
  expect(data.slice(0, 2).flat().some(Boolean)).toBe(false);
});
