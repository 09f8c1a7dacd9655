import { spawn } from 'node:child_process';
import type { Env } from '../settings.ts';

/** Tries to open a URL; if that is impossible, nothing happens, since the user also sees the URL as text. */
export function openBrowser(url: string, env: Env): void {
  const opener = openerOf(env);
  // The server chooses the URL; it must not be a file or an application's scheme.
  if (!opener || !/^https?:\/\//i.test(url)) return;
  const [command = '', ...args] = opener;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
}

function openerOf(env: Env): string[] | null {
  if (env.BROWSER) return [env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  // The URL must not go through a shell, which `start` would need.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}
