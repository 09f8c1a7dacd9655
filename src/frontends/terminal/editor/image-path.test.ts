import { expect, test } from 'vitest';
import { imagePathIn } from './image-path.ts';

test.each<[pasted: string, path: string | null]>([
  ['/tmp/a.png', '/tmp/a.png'],
  ['/tmp/a\\ b.PNG ', '/tmp/a b.PNG'],
  ["'/tmp/a b.jpeg'", '/tmp/a b.jpeg'],
  ['file:///tmp/a%20b.webp', '/tmp/a b.webp'],
  ['~/shots/x.gif', '~/shots/x.gif'],
  ['./x.jpg', './x.jpg'],
  ['C:\\shots\\x.png', 'C:\\shots\\x.png'],
  ['see /tmp/a.png', null],
  ['/tmp/a.png\n/tmp/b.png', null],
  ['/tmp/a.txt', null],
  ['file://%zz/a.png', null],
  ['', null],
])('%j is the image %j', (pasted, path) => {
  expect(imagePathIn(pasted)).toBe(path);
});
