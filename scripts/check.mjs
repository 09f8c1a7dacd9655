// Runs the checks before the tests at the same time: node scripts/check.mjs
import { execFile } from 'node:child_process';

const checks = ['typecheck', 'lint', 'deadcode', 'docs:check', 'structure'];
// npm is a script on Windows, which only a shell can start.
const options = { shell: process.platform === 'win32', maxBuffer: 2 ** 26 };

await Promise.all(
  checks.map(
    (name) =>
      new Promise((resolve) => {
        execFile('npm', ['run', '--silent', name], options, (error, stdout, stderr) => {
          console.log(error ? `${name} failed:\n${stdout}${stderr}` : `${name}: ok`);
          if (error) process.exitCode = 1;
          resolve();
        });
      }),
  ),
);
