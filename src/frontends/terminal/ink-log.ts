import type { PaintedStream } from './painter/painted-stream.ts';

/** Put by the build in the place of the file in which Ink erases and writes whole frames. */
export default { create: (stream: PaintedStream) => stream.log };
