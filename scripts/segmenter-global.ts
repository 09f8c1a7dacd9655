/** Put by the build in the place of the runtime's global of this name. */

export { LazySegmenter as 'Intl.Segmenter' } from '../src/lib/text/lazy-segmenter.ts';
