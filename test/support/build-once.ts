import { buildProgram } from './build-program.ts';

/** Journeys run the built program; one build serves them all. */
export default function buildOnce(): void {
  buildProgram();
}
