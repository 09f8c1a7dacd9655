import type { GitRemotes } from '../../permissions/provenance/own-remote.ts';
import { findRepository } from '../../sandbox/repository.ts';

const REMOTE_ADDRESS = /^remote\.(.+)\.(?:push)?url$/s;
const DEFAULT_REMOTE = /^(remote\.pushdefault|branch\..+\.(push)?remote)$/s;
/** With these, git goes elsewhere than the address says, or runs a program. */
const REDIRECTING = /^(url\.|include|remote\..+\.(receivepack|uploadpack|vcs|proxy)$)/s;

/** The remotes of the repository around a folder; null if its config redirects them, or git cannot tell. */
export function remotesOf(folder: string, env: NodeJS.ProcessEnv): GitRemotes | null {
  const repository = findRepository(folder, env);
  if (repository === 'unclear') return null;
  const settings = repository?.settings ?? [];
  if (settings.some(({ key }) => REDIRECTING.test(key))) return null;
  const named = new Map<string, string[]>();
  const defaults: string[] = [];
  for (const { key, value } of settings) {
    const [, name] = REMOTE_ADDRESS.exec(key) ?? [];
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), value]);
    if (DEFAULT_REMOTE.test(key)) defaults.push(value);
  }
  // A default that names no remote is an address. `.` is the repository itself.
  const direct = defaults.filter((value) => value !== '.' && !named.has(value));
  return { named, all: [...[...named.values()].flat(), ...direct] };
}
