import { spawn } from 'node:child_process';
import type { Env } from '../settings.ts';

/** Tries to show an address; where there is no way to, nothing happens and the user has the address in words. */
export function openBrowser(url: string, env: Env): void {
  const opener = openerOf(env);
  // A server names the address; it must not be a file or a program's own scheme.
  if (!opener || !/^https?:\/\//i.test(url)) return;
  const [command = '', ...args] = opener;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
}

function openerOf(env: Env): string[] | null {
  if (env.BROWSER) return [env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  // The address goes to no shell: `start` would need one.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}
