import { expect, test } from 'vitest';
import { readImages } from './images.ts';

const MB = 1024 * 1024;
const file = (name: string, bytes: number) => new File([new Uint8Array(bytes)], name, { type: 'image/png' });
const attached = (bytes: number) => ({
  type: 'image' as const,
  mimeType: 'image/png',
  data: 'A'.repeat((bytes * 4) / 3),
});

test('images that are too large, alone or together, are refused with what to do', async () => {
  const together = 'at most 20 MB together. Send some of them separately.';
  await expect(readImages([file('a.png', 11 * MB)], [])).rejects.toThrow('at most 10 MB');
  await expect(
    readImages([file('a.png', 9 * MB), file('b.png', 9 * MB), file('c.png', 3 * MB)], []),
  ).rejects.toThrow(together);
  await expect(readImages([file('a.png', 9 * MB)], [attached(6 * MB), attached(6 * MB)])).rejects.toThrow(
    together,
  );
});
