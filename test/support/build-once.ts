import { execFileSync } from 'node:child_process';

/** Journeys run the built program; one build serves them all. */
export default function buildOnce(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
