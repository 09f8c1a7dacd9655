import { execFileSync } from 'node:child_process';

/** Commands that run a program without access to this process's network, process ids or paths. */
export const namespaces: Record<string, string[]> = {
  'another network': ['unshare', '--net'],
  'other process numbers': ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
  'other process numbers, and /proc of outside': ['unshare', '--pid', '--fork', '--kill-child'],
  'another container': [
    'bwrap',
    '--die-with-parent',
    '--unshare-all',
    '--dev-bind',
    '/',
    '/',
    '--proc',
    '/proc',
  ],
};

/** Why this one is not available here, or null. */
export function whyNot(command: readonly string[]): string | null {
  const [program = '', ...args] = command;
  if (process.platform !== 'linux') return 'only Linux has namespaces';
  try {
    execFileSync(program, [...args, 'true'], { stdio: 'pipe', timeout: 10_000 });
    return null;
  } catch (error) {
    return `${program} does not work here: ${(error as Error).message.split('\n')[0]}`;
  }
}
