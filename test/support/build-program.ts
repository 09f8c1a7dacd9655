import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** Same as `npm run build`. On Windows only a shell could start npm itself. */
export function buildProgram(...args: string[]): void {
  node('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn', ...args);
}

/** Same as `npm run prepack`: the program with its type declarations. */
export function buildPackage(): void {
  buildProgram();
  node('scripts/run-ts.mjs', 'scripts/types.ts', 'dist/types');
}

/** Runs a script of the repository. */
export function node(script: string, ...args: string[]): void {
  execFileSync(process.execPath, [script, ...args], { stdio: 'inherit' });
}
