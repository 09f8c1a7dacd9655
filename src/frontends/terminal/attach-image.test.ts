import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { attachCopied, attachImage } from './attach-image.ts';

/** A single pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function place(acceptsImages = true) {
  const cwd = await freshFolder('aca-attach-');
  await writeFile(path.join(cwd, 'dot.png'), Buffer.from(png, 'base64'));
  await writeFile(path.join(cwd, 'words.png'), 'no image');
  return {
    cwd,
    home: cwd,
    acceptsImages: () => acceptsImages,
    readFile: (file: string) => readFile(file),
    copied: async () => ({ type: 'none' as const }),
  };
}

test('an image is attached by an absolute, relative or home path', async () => {
  const deps = await place();
  const image = {
    type: 'image',
    name: 'dot.png',
    image: { type: 'image', mediaType: 'image/png', data: png },
  };

  for (const file of [path.join(deps.cwd, 'dot.png'), './dot.png', '~/dot.png'])
    expect(await attachImage(file, deps)).toEqual(image);
});

test('a file that cannot be attached gives the reason', async () => {
  const deps = await place();
  const refused = (because: string) => ({ type: 'refused', because });

  expect(await attachImage('./gone.png', deps)).toEqual(
    refused('gone.png was not attached: the file cannot be read.'),
  );
  expect(await attachImage('./words.png', deps)).toEqual(
    refused('words.png was not attached: it is not a complete image.'),
  );
  expect(await attachImage('./dot.png', await place(false))).toEqual(
    refused('dot.png was not attached: this model does not support images.'),
  );
});

test('an image in the clipboard is attached; failures give the reason', async () => {
  const deps = await place();
  const bytes = Buffer.from(png, 'base64');
  const refused = (because: string) => ({ type: 'refused', because });

  expect(await attachCopied({ ...deps, copied: async () => ({ type: 'image', bytes }) })).toEqual({
    type: 'image',
    name: 'from the clipboard',
    image: { type: 'image', mediaType: 'image/png', data: png },
  });
  const none = refused('No image in the clipboard.');
  expect(await attachCopied(deps)).toEqual(none);
  const words = Buffer.from('only words');
  expect(await attachCopied({ ...deps, copied: async () => ({ type: 'image', bytes: words }) })).toEqual(
    none,
  );
  expect(
    await attachCopied({ ...deps, copied: async () => ({ type: 'image', bytes: bytes.subarray(0, 20) }) }),
  ).toEqual(refused('The image in the clipboard was not attached: it is not a complete image.'));
  expect(
    await attachCopied({
      ...deps,
      copied: async () => ({ type: 'unreachable', programs: ['wl-paste', 'xclip'] }),
    }),
  ).toEqual(refused('To paste images, install wl-paste or xclip, or drop a file here.'));
  expect(await attachCopied(await place(false))).toEqual(refused('This model does not support images.'));
});
