import { buildPackage } from './build-program.ts';

/** End-to-end tests run the built program; one build serves them all. */
export default function buildOnce(): void {
  buildPackage();
}
