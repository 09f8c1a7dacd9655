/** Put by the build in the place of the runtime's globals of these names. */

export { LazyFormData as FormData, LazyResponse as Response } from '../src/lib/network/lazy-globals.ts';
export { PlainHeaders as Headers } from '../src/lib/network/plain-headers.ts';
export { LazySegmenter as 'Intl.Segmenter' } from '../src/lib/text/lazy-segmenter.ts';
