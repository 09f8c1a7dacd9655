import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { isNewer } from '../../lib/text/version-order.ts';
import { latestVersion, registryOf } from './registry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type UpdatePlace = {
  /** The data root. */
  root: string;
  config: Pick<Config, 'offline' | 'updates'>;
  env: Readonly<Record<string, string | undefined>>;
};

/** What was learnt last. `latest` is absent where the registry did not tell. */
type Known = { checkedAt: number; latest?: string };

/** Whether anybody wants to hear of updates: not offline, not in CI, not where a switch is off. */
export function wantsUpdates({ config, env }: Pick<UpdatePlace, 'config' | 'env'>): boolean {
  const isOn = (name: string) => !['', '0', 'false'].includes(env[name] ?? '');
  const silenced = ['AI_ASSISTANT_NO_UPDATE_CHECK', 'NO_UPDATE_NOTIFIER', 'CI'].some(isOn);
  return config.updates.check && !config.offline && !silenced;
}

/** One line for the start of a conversation, by what was learnt the last time; null when there is nothing to tell. */
export function updateNotice(place: UpdatePlace, version: string): string | null {
  if (!wantsUpdates(place)) return null;
  const latest = read(place.root)?.latest;
  if (latest === undefined || !isNewer(latest, version)) return null;
  return `Version ${latest} is there; this is ${version}. \`aca update\` says how to get it.`;
}

/** Asks the registry, unless that was done within a day. A registry that does not answer is asked again tomorrow. */
export async function learnOfUpdate(
  place: UpdatePlace,
  fetch: () => Promise<typeof globalThis.fetch>,
  now = Date.now(),
): Promise<void> {
  if (!wantsUpdates(place)) return;
  const known = read(place.root);
  if (known && Math.abs(now - known.checkedAt) < DAY_MS) return;
  // Before the question: a second program that asks itself the same now has nothing to do.
  await write(place.root, { ...known, checkedAt: now });
  const latest = await latestVersion(registryOf(place.config, place.env), await fetch()).catch(() => null);
  if (latest !== null) await write(place.root, { checkedAt: now, latest });
}

function fileIn(root: string): string {
  return path.join(root, 'cache', 'update.json');
}

/** A file that is not there, or is damaged, is nothing learnt. */
function read(root: string): Known | null {
  let text: string;
  try {
    text = readRegularText(fileIn(root));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
  const value = jsonOf(text) as Partial<Known> | null;
  if (typeof value !== 'object' || value === null || typeof value.checkedAt !== 'number') return null;
  const { checkedAt, latest } = value;
  return { checkedAt, ...(typeof latest === 'string' && { latest }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function write(root: string, known: Known): Promise<void> {
  await writeAtomic(fileIn(root), `${JSON.stringify(known)}\n`, 0o600);
}
