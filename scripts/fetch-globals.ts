/** Put by the build in the place of the runtime's globals of these names. */

export { LazySegmenter as 'Intl.Segmenter' } from '../src/lib/lazy-segmenter.ts';
export {
  LazyFormData as FormData,
  LazyResponse as Response,
  PlainHeaders as Headers,
} from '../src/lib/plain-headers.ts';
