/** Put by the build in the place of the runtime's globals of these names. */
export { LazyFormData as FormData, PlainHeaders as Headers } from '../src/lib/plain-headers.ts';
