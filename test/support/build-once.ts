import { rmSync } from 'node:fs';
import { compiledCode } from './aca.ts';
import { buildProgram } from './build-program.ts';

/** End-to-end tests run the built program; one build serves them all. */
export default function buildOnce(): void {
  rmSync(compiledCode, { recursive: true, force: true });
  buildProgram();
}
