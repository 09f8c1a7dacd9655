/** Put by the build in the place of the runtime's globals of these names. */

export { LazyFormData as FormData, LazyResponse as Response } from '../src/lib/lazy-globals.ts';
export { LazySegmenter as 'Intl.Segmenter' } from '../src/lib/lazy-segmenter.ts';
export { PlainHeaders as Headers } from '../src/lib/plain-headers.ts';
