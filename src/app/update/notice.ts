import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { parseObject } from '../../lib/text/json.ts';
import { isNewer } from '../../lib/text/version-order.ts';
import { latestVersion, registryOf } from './registry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type UpdatePlace = {
  root: string;
  config: Pick<Config, 'offline' | 'updates'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether the program runs from a clone. */
  fromSource: boolean;
};

/** The last result. `latest` is absent if the registry gave no answer. */
type Known = { checkedAt: number; latest?: string };

/**
 * Whether to check for updates: not offline, not in CI, not when disabled. A clone was not installed from a registry, and
 * only after the first release does the public one have our package under that name; one that the user names counts.
 */
export function wantsUpdates({ config, env, fromSource }: Omit<UpdatePlace, 'root'>): boolean {
  if (fromSource && config.updates.registry === undefined) return false;
  const isOn = (name: string) => !['', '0', 'false'].includes(env[name] ?? '');
  const silenced = ['AI_ASSISTANT_NO_UPDATE_CHECK', 'NO_UPDATE_NOTIFIER', 'CI'].some(isOn);
  return config.updates.check && !config.offline && !silenced;
}

/** One line for the start of a conversation, from the last check; null when there is nothing new. */
export function updateNotice(place: UpdatePlace, version: string): string | null {
  if (!wantsUpdates(place)) return null;
  const latest = read(place.root)?.latest;
  if (latest === undefined || !isNewer(latest, version)) return null;
  return `Version ${latest} is available (you have ${version}). Run \`aca update\` to see how to get it.`;
}

/** Asks the registry at most once a day. If it does not answer, the next attempt is tomorrow. */
export async function checkForUpdate(
  place: UpdatePlace,
  http: () => Promise<HttpClient>,
  now = Date.now(),
): Promise<void> {
  if (!wantsUpdates(place)) return;
  const isRecent = (known: Known | null) => known !== null && Math.abs(now - known.checkedAt) < DAY_MS;
  if (isRecent(read(place.root))) return;
  const isOurs = await updateFile(fileIn(place.root), async (write) => {
    const known = read(place.root);
    if (isRecent(known)) return false;
    // Written before the request, so that a second process does not ask, too.
    await write(textOf({ ...known, checkedAt: now }));
    return true;
  });
  if (!isOurs) return;
  const latest = await latestVersion(registryOf(place.config, place.env), await http()).catch(() => null);
  if (latest !== null)
    await updateFile(fileIn(place.root), (write) => write(textOf({ checkedAt: now, latest })));
}

function fileIn(root: string): string {
  return path.join(root, 'cache', 'update.json');
}

/** A missing or damaged file counts as no result. */
function read(root: string): Known | null {
  const { checkedAt, latest } =
    parseObject(unlessErrno('any', '', () => readRegularText(fileIn(root)))) ?? {};
  if (typeof checkedAt !== 'number') return null;
  return { checkedAt, ...(typeof latest === 'string' && { latest }) };
}

function textOf(known: Known): string {
  return `${JSON.stringify(known)}\n`;
}
