import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of `@anthropic-ai/claude-agent-sdk`. Its programs for each platform are optional packages, and not needed. */
const VERSION = '0.3.326';

/**
 * Downloads the client that programs written for Claude Code use; resolves with its folder. It is not a
 * development dependency because npm would install a whole program with it. The packages that it needs are
 * ours.
 */
export async function fetchAgentSdk(): Promise<string> {
  const folder = path.resolve('node_modules/.cache/claude-agent-sdk', VERSION);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', `@anthropic-ai/claude-agent-sdk@${VERSION}`], {
    cwd: folder,
  });
  await run('tar', ['-xzf', stdout.trim()], { cwd: folder });
  return path.join(folder, 'package');
}
